import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { DEFAULT_TIER_MODELS as MODELS } from '../../../../shared/contract/agents/tiers.ts';
import type { TaskSubmissionInput } from '../../../../shared/contract/submission/schema.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import { selectNextAttemptModel } from '../../../../shared/control/cascade/model-selection.ts';
import type { AvailableAgentClis } from '../../../../shared/control/task-commands/adapter-problems.ts';
import { recordCascadeDecision } from '../../../../shared/control/task-commands/record-cascade-decision.ts';
import { startAttempt } from '../../../../shared/control/task-commands/start-attempt.ts';
import {
  addSeconds,
  artifact,
  attempt,
  fakeSha1,
  report,
  task,
  verdict,
  verification,
} from '../../../support/builders.ts';

type Ends = Pick<Attempt, 'report'> & Partial<Attempt>;
const agents = (clis: AvailableAgentClis['containerClis']): AvailableAgentClis => ({
  defaultAdapter: { kind: 'claude', timeout_s: 1_800 },
  containerClis: clis,
  modelVendors: null,
  tierModels: MODELS,
});
const ALL = agents(['claude', 'codex', 'gemini', 'opencode']);

const failing = (what: string): Ends => ({
  report: report(),
  artifact: artifact(),
  verification: { ...verification(), failed_checks: [{ check: 'tests', message: what }] },
  verdict: verdict({ verdict: 'fail' }),
});
const late: Ends = { report: report({ status: 'failed', failure_code: 'timeout' }) };

/** Lets a task fail until nothing more follows; `end` says how its attempt of that number ends. */
function story(
  end: (number: number) => Ends,
  request: Partial<TaskSubmissionInput> = {},
  of: AvailableAgentClis = agents(['claude']),
): Task {
  let present = task({ base_commit: fakeSha1('a') }, { budget: { max_attempts: 10 }, ...request });
  for (let number = 1; number < 30; number++) {
    const now = addSeconds(number);
    const { rung, effort, route, adapter } = selectNextAttemptModel(present, MODELS);
    const started = startAttempt(present, {
      ...rung,
      effort,
      route,
      adapter,
      leaseHolder: 'managed',
      leaseSeconds: 60,
      agentLaunch: null,
      now,
    }).task;
    const attempts = started.attempts.map((each) =>
      each.number === number ? { ...each, ...end(number) } : each,
    );
    const judged = { ...started, status: 'in_review' as const, attempts };
    const change = recordCascadeDecision(judged, number, decideNextCascadeAction(judged, MODELS, of), now);
    if (!change) throw new Error('nothing was decided');
    present = change.task;
    const action = present.attempts.at(-1)?.decision?.action;
    if (action !== 'retry' && action !== 'escalate') return present;
    present = { ...present, status: 'in_review' };
  }
  throw new Error('no end');
}

const way = ({ attempts }: Task) =>
  attempts.map(({ adapter, tier, effort, decision }) =>
    [adapter, tier, effort, decision?.strategy ?? decision?.action].filter(Boolean).join(' '),
  );

describe('the same failure twice', () => {
  test('that is a refusal of ours asks no other agent and no stronger model', () => {
    const refused: Ends = {
      report: report({
        status: 'failed',
        failure_code: 'work_not_deliverable',
        summary: 'sub is a submodule',
      }),
    };
    expect(way(story(() => refused, {}, ALL))).toEqual(['haiku low retry', 'haiku low person']);
  });

  test('goes to the agent of another vendor, then up, then to nobody', () => {
    expect(way(story(() => failing('rounds: expected 3 to be 4'), {}, ALL))).toEqual([
      'haiku low escalate',
      'sonnet high other_adapter',
      'codex sonnet high other_adapter',
      'gemini sonnet high stronger_tier',
      'gemini opus max give_up',
    ]);
  });

  test('goes straight to the top where two tiers have failed in the same way', () => {
    const high = { role: 'backend', complexity: 'medium' } as const;
    expect(way(story(() => failing('x'), high))).toEqual([
      'haiku low escalate',
      'sonnet high stronger_tier',
      'opus max give_up',
    ]);
  });

  test('of a time limit climbs, takes more effort, makes less of it, and ends', () => {
    expect(way(story(() => late))).toEqual([
      'haiku low retry',
      'haiku low stronger_tier',
      'sonnet high stronger_tier',
      'opus max smaller_task',
      'opus max person',
    ]);
    const stuck = story(() => late, { model: 'opus', complexity: 'low' });
    expect(way(stuck)).toEqual([
      'opus normal retry',
      'opus normal higher_effort',
      'opus max smaller_task',
      'opus max person',
    ]);
    expect(stuck.attempts.at(-1)?.decision).toMatchObject({
      action: 'give_up',
      reason: 'timeout; the same failure as attempt 3',
    });
  });

  test('leaves alone what fails otherwise each time', () => {
    expect(way(story((number) => failing(`test_${number} failed`)))).toEqual([
      'haiku low escalate',
      'sonnet high escalate',
      'opus max give_up',
    ]);
    expect(
      way(story(() => ({ report: report({ status: 'failed', failure_code: 'agent_failed' }) }))),
    ).toEqual(['haiku low escalate', 'sonnet high escalate', 'opus max give_up']);
  });

  test('is told to an outside agent, and then a person decides', () => {
    expect(way(story(() => failing('x'), { runner: 'external' }))).toEqual([
      expect.stringContaining('retry'),
      expect.stringContaining('smaller_task'),
      expect.stringContaining('person'),
    ]);
  });

  test('is on each attempt, with what it is about and what was done', () => {
    const [first, second] = story(() => failing('src/a.ts:3 E501: line too long')).attempts;
    expect(first?.failure).toMatchObject({ normalized_message: 'tests: <path> e501: line too long' });
    expect(second?.failure?.signature).toBe(first?.failure?.signature);
    expect(second?.decision).toMatchObject({
      strategy: 'stronger_tier',
      reason: 'janitor verification failed; the same failure as attempt 1',
    });
  });

  test('is met by something else each time it comes, until the task ends', () => {
    const ENDS = { a: failing('a'), b: failing('b'), late };
    const ends = fc.array(fc.constantFrom(...(['a', 'b', 'late'] as const)), {
      minLength: 11,
      maxLength: 11,
    });
    const requests = fc.record(
      {
        complexity: fc.constantFrom('low' as const, 'medium' as const, 'high' as const),
        effort: fc.constantFrom('low' as const, 'high' as const),
        model: fc.constantFrom('haiku', 'opus'),
        runner: fc.constantFrom('managed' as const, 'external' as const),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(ends, requests, fc.boolean(), (all, request, free) => {
        const ended = story(
          (number) => ENDS[all[number] ?? 'late'],
          request,
          free ? ALL : agents(['claude']),
        );
        const done = ended.attempts.flatMap(({ failure, decision }, index) => {
          const again = ended.attempts
            .slice(0, index)
            .some((earlier) => earlier.failure?.signature === failure?.signature);
          if (!again || !decision) return [];
          if (decision.action !== 'give_up') expect(decision.strategy).toBeDefined();
          const { strategy, next_model, next_adapter, next_effort } = decision;
          return [JSON.stringify([failure?.signature, strategy, next_model, next_adapter, next_effort])];
        });
        expect(done).toEqual([...new Set(done)]);
      }),
      { numRuns: 60 },
    );
  });
});

describe('the same failure twice of a command that takes no model', () => {
  const COMMAND = { kind: 'command' as const, argv: ['agent', '{prompt_file}'], timeout_s: 60 };
  /** Lets attempts of the command end in this way until nothing more follows. */
  const ends = (end: Ends): (string | undefined)[] => {
    const before = task({ status: 'in_review' }, { adapter: COMMAND, budget: { max_attempts: 10 } });
    const attempts: Attempt[] = [];
    for (let number = 1; number <= 10; number++) {
      const last = attempt({ number, model: null, tier: null, ...end });
      const present = { ...before, attempts: [...attempts, last] };
      const change = recordCascadeDecision(
        present,
        number,
        decideNextCascadeAction(present, MODELS, agents(null)),
        addSeconds(number),
      );
      const decided = change?.task.attempts.at(-1);
      if (!decided) throw new Error('nothing was decided');
      attempts.push(decided);
      if (decided.decision?.action !== 'retry') break;
    }
    return attempts.map(({ decision }) => decision?.action);
  };
  const exits = (output_tail: string): Ends => ({
    report: report({
      status: 'failed',
      failure_code: 'agent_failed',
      output_tail,
      exit: { exit_code: 1, failure_text_source: 'output_tail' },
    }),
  });

  test.each([
    ['a crash with a message', exits('ENOENT config.json')],
    ['a crash without a word', exits('')],
    ['an agent that hangs', late],
    [
      'an agent that is killed',
      {
        report: report({
          status: 'failed',
          failure_code: 'agent_crashed',
          output_tail: '',
          exit: { signal: 'SIGKILL', failure_text_source: 'output_tail' },
        }),
      },
    ],
  ])('ends the task: %s', (_name, end) => {
    expect(ends(end)).toEqual(['retry', 'give_up']);
  });

  test('tells work that fails in the same way once more what to do, then ends as the last tier of a cascade does', () => {
    expect(ends(failing('rounds: expected 3 to be 4'))).toEqual(['retry', 'retry', 'give_up']);
  });
});

describe('what no tier can help against', () => {
  const refusal: Ends = {
    report: report({
      status: 'failed',
      failure_code: 'work_not_deliverable',
      summary: 'vendor/lib is a git repository of its own; its files cannot be handed in',
      exit: { exit_code: 0, failure_text_source: 'summary' },
    }),
  };
  const rejected: Ends = {
    report: report({
      status: 'failed',
      failure_code: 'agent_failed',
      summary: 'tools.3.name: must match ^[a-z]+$',
      exit: { exit_code: 1, http_status: 400, failure_text_source: 'summary' },
    }),
  };

  test('a patch that the platform refuses stays on its tier, and ends with a person', () => {
    expect(way(story(() => refusal))).toEqual(['haiku low retry', 'haiku low person']);
  });

  test('a request that a provider rejects twice in the same way is not sent to a third tier', () => {
    expect(way(story(() => rejected))).toEqual(['haiku low escalate', 'sonnet high person']);
  });

  test('an agent that hangs without a call or a word is started twice', () => {
    const hung = { report: report({ status: 'failed', failure_code: 'timeout', output_tail: '' }) };
    expect(way(story(() => hung))).toEqual(['haiku low retry', 'haiku low person']);
  });
});
