import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Judgement } from '../../../../shared/contract/judgement/judgement.ts';
import {
  REVIEW_CLIENT_STRATEGIES,
  ReviewSettings,
  SimulatedReviewClient,
} from '../../../../shared/contract/review/review-settings.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { readWorkflowAtBaseCommit } from '../../../../shared/control/workflow/base-workflow.ts';
import {
  clientForAttempt,
  getSimulatedClientFeedback,
} from '../../../../shared/reviews/review/review-client.ts';
import { runReviewStages } from '../../../../shared/reviews/review/run-review-stages.ts';
import { report, task, taskInReview } from '../../../support/builders.ts';

const judged = (verdict: Judgement['verdict'], outcome: Judgement['outcome'] = 'passed'): Judgement =>
  ({ kind: 'verification', subject: 'verification verify: default-task', verdict, outcome }) as Judgement;
const CRITERIA = ['it adds', 'it is quick'];
const reviewed = (settings: object, judgements: Judgement[] = [], fields: Partial<Task> = {}) => ({
  task: { ...taskInReview(), acceptance_criteria: CRITERIA, ...fields },
  verdict: { verdict: 'pass' as const, reasons: [], judgements },
  settings: ReviewSettings.parse(settings),
});

describe('require_all_criteria_met', () => {
  const at = (...judgements: Judgement[]) => {
    const { verdict, progress } = runReviewStages(
      ['internal'],
      reviewed({ require_all_criteria_met: true }, judgements),
    );
    return [verdict, progress.stage_results['internal']?.reason ?? null];
  };
  it.each([
    ['all nodes have passed the work', [judged('pass'), judged('pass')], 'pass', null],
    [
      'a node has graded it down',
      [judged('pass'), judged('fail', 'failed')],
      'fail',
      '2 acceptance criteria are not met: verification verify: default-task',
    ],
    ['a grader was not sure', [judged('refer', 'failed')], 'refer', 'nobody has said that the 2'],
    ['no grader could be asked', [judged('refer', 'could_not_run')], 'refer', 'nobody has said that the 2'],
    ['nobody was asked', [judged('pass', 'skipped')], 'refer', 'nobody has said that the 2'],
    ['there is no opinion at all', [], 'refer', 'nobody has said that the 2'],
  ] as const)('where %s', (_what, judgements, verdict, reason) => {
    const [word, why] = at(...judgements);
    expect(word).toBe(verdict);
    if (reason === null) expect(why).toBeNull();
    else expect(why).toContain(reason);
  });

  it('asks nothing where it is not set', () => {
    expect(runReviewStages(['internal'], reviewed({}, [judged('fail', 'failed')])).verdict).toBe('pass');
  });

  it.each([
    ['nobody grades', 'default', '[internal]'],
    ['no stage asks', 'verification-pipeline', '[verdict]'],
  ])('is refused before any work where %s', async (_what, like, stages) => {
    const { findBuiltinWorkflow } = await import('../../../../shared/control/workflow/builtin-workflows.ts');
    const { name: _, ...built } = findBuiltinWorkflow(like) ?? {};
    const text = JSON.stringify({
      name: 'strict',
      ...built,
      review: { stages: stages.slice(1, -1).split(','), require_all_criteria_met: true },
    });
    const of = { ...task(), acceptance_criteria: CRITERIA };
    const found = await readWorkflowAtBaseCommit(
      'strict',
      of,
      async (paths) => new Map(paths.map((path) => [path, path.endsWith('strict.yaml') ? text : null])),
    );
    expect(found).toEqual({ why: expect.stringContaining('asks that all criteria are met') });
  });
});

describe('the client stage', () => {
  const pool = (strategy: string) => ({
    clients: [
      { id: 'ada', strategy },
      { id: 'bob', strategy },
    ],
  });
  const said = (summary: string): Partial<Task> => ({
    attempts: taskInReview().attempts.map((each) => ({ ...each, report: { ...report(), summary } })),
  });
  it('is passed over, and written down, where there is no client', () => {
    expect(runReviewStages(['client'], reviewed({}))).toMatchObject({
      verdict: 'pass',
      progress: { stages_completed: ['client'], stage_results: { client: { verdict: 'skip' } } },
    });
  });

  it('sends work back with who rejects it and the criteria that are not met', () => {
    const { verdict, progress } = runReviewStages(
      ['client', 'internal'],
      reviewed(pool('criteria_check'), [], said('Now it adds, as asked.')),
    );
    expect([verdict, progress.current_stage]).toEqual(['fail', 'client']);
    expect(progress.stage_results['client']?.reason).toMatch(/^client ada .*not met: it is quick$/);
  });

  it('goes on to the next stage with work that is accepted', () => {
    expect(
      runReviewStages(
        ['client', 'internal'],
        reviewed(pool('criteria_check'), [], said('It adds; it is quick.')),
      ),
    ).toMatchObject({ verdict: 'pass', progress: { stages_completed: ['client', 'internal'] } });
  });

  it('asks one client after the other, and is told of the work by the task where its agent says nothing', () => {
    const { clients } = ReviewSettings.parse(pool('binary'));
    expect([1, 2, 3].map((attempt) => clientForAttempt(clients, attempt)?.id)).toEqual(['ada', 'bob', 'ada']);
    const silent = { ...said(' '), description: 'it adds, and it is quick', title: 'x' };
    expect(runReviewStages(['client'], reviewed(pool('criteria_check'), [], silent)).verdict).toBe('pass');
  });

  const LONG = Array.from({ length: 60 }, (_, index) => `word${index}`).join(' ');
  it.each([
    ['binary', 'x'.repeat(39), 1, false],
    ['binary', 'x'.repeat(40), 1, true],
    ['binary', 'x'.repeat(40), 2, false],
    ['binary', '', 0, false],
    ['scored', 'it adds, it is quick', 1, true],
    ['criteria_check', 'IT ADDS. It is quick', 1, true],
    ['criteria_check', 'bit adds, it is quickly', 1, false],
    ['adversarial', 'it adds, it is quick', 1, false],
    ['adversarial', `${LONG} it adds, it is quick`, 1, true],
    ['adversarial', LONG, 1, false],
  ] as const)('%s of %j with strictness %d accepts: %s', (strategy, deliverable, strictness, isAccepted) => {
    const client = SimulatedReviewClient.parse({ id: 'ada', strategy, strictness });
    expect(getSimulatedClientFeedback(client, { deliverable, criteria: CRITERIA }).rejection === null).toBe(
      isAccepted,
    );
  });

  it('says the same each time, gives a reason where it rejects, and reads criteria as text, not as patterns', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...REVIEW_CLIENT_STRATEGIES),
        fc.string(),
        fc.array(fc.string({ minLength: 1 }), { maxLength: 4 }),
        (strategy, deliverable, criteria) => {
          const client = SimulatedReviewClient.parse({ id: 'ada', strategy });
          const first = getSimulatedClientFeedback(client, { deliverable, criteria });
          expect(getSimulatedClientFeedback(client, { deliverable, criteria })).toEqual(first);
          if (first.unmet.length > 0) expect(first.rejection).not.toBeNull();
        },
      ),
      { numRuns: 100 },
    );
  });
});
