import { marshall } from '@aws-sdk/util-dynamodb';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemBytes as measured } from '../../../../local/dynamodb/capacity.ts';
import type { ItemImage } from '../../../../local/dynamodb/item-image.ts';
import {
  MAX_APPROVALS_PER_TASK,
  MAX_DECISION_REASON_LENGTH,
} from '../../../../shared/contract/approval/schema.ts';
import { ReviewSettings } from '../../../../shared/contract/review/review-settings.ts';
import {
  MAX_SCREENSHOT_BYTES,
  MAX_SCREENSHOT_SIDE,
  MAX_SCREENSHOTS_PER_GATE,
} from '../../../../shared/contract/screenshot.ts';
import { MAX_MODEL_JUDGED_SIGNALS } from '../../../../shared/contract/submission/schema.ts';
import type { Attempt, ContainerLaunch } from '../../../../shared/contract/task/attempt.ts';
import {
  MAX_ATTEMPTS_BEFORE_RETRY,
  MAX_ITEM_BYTES,
  MAX_NEW_TASK_BYTES,
  MAX_STORED_TASK_BYTES,
  shrinkTaskFully,
  shrinkTaskToItem,
} from '../../../../shared/contract/task/shrink-task.ts';
import type { Task } from '../../../../shared/contract/task/task.ts';
import { MAX_RESOLVED_WORKFLOW_BYTES } from '../../../../shared/contract/workflow/resolved-workflow.ts';
import { measureItemBytes } from '../../../../shared/lib/item-size.ts';
import { truncateToBytes } from '../../../../shared/lib/truncate.ts';
import { taskToItem } from '../../../../shared/store/task-item.ts';
import {
  approval,
  attempt,
  challenge,
  FIXED_NOW,
  fakeSha1,
  report,
  task,
  taskInReview,
  verdict,
} from '../../../support/builders.ts';

const image = (of: Task): ItemImage => marshall(taskToItem(of), { removeUndefinedValues: true }) as ItemImage;

/** A round ends after all attempts of its budget and all its retries. */
const MOST_ATTEMPTS = MAX_ATTEMPTS_BEFORE_RETRY - 1 + 10 + 10 + 1;

/** Characters of one, two, three and four bytes, and such as JSON has to escape. */
const unit = fc.constantFrom('a', 'ä', '€', '😀', '\u0001', '"', '\\', '\ud83d');
const text = (most: number): fc.Arbitrary<string> =>
  fc
    .tuple(unit, fc.constantFrom(0, 1, 0.5, 1, 1))
    .map(([each, share]) => each.repeat(Math.floor((most * share) / each.length)));

const launch: fc.Arbitrary<ContainerLaunch | null> = fc.record({
  number: fc.constant(3),
  token_sha256: fc.constant('f'.repeat(64)),
  model_token_sha256: fc.constant(null),
  assignment_key: fc.constant(`assignments/${'i'.repeat(64)}/40/deliver-${'n'.repeat(36)}.json`),
  lost: fc.boolean(),
  launched_at: fc.constant(FIXED_NOW.toISOString()),
});
const check = { kind: 'executed' as const, outcome: 'failed' as const, duration_ms: 123_456 };
const fullAttempt: fc.Arbitrary<Attempt> = fc
  .record({
    model: text(200),
    summary: text(4_000),
    tail: text(2_000),
    detail: text(500),
    facts: text(200),
    message: text(1_000),
    progress: text(2_000),
    decision: text(60_000),
    failure: text(4_000),
    holder: text(64),
    agent: launch,
    gates: launch,
    deliver: launch,
    checks: fc.constantFrom(0, 30),
    path: text(200),
    reasons: fc.constantFrom(0, 50, 100),
    judgements: fc.constantFrom(0, MAX_MODEL_JUDGED_SIGNALS),
  })
  .map((of) =>
    attempt({
      model: of.model,
      tier: 'sonnet',
      effort: 'medium',
      outcome: 'infra_failed',
      ended_at: FIXED_NOW.toISOString(),
      lease_holder: of.holder,
      progress: { message: of.progress, percent: 12.345678901234, at: FIXED_NOW.toISOString() },
      usage: {
        input_tokens: 2 ** 53 - 1,
        output_tokens: 2 ** 53 - 1,
        cache_read_tokens: 2 ** 53 - 1,
        cache_write_tokens: 2 ** 53 - 1,
      },
      cost_usd: 1.2345678901234567,
      report: report({ summary: of.summary, output_tail: of.tail, failure_code: 'provider_spend_limit' }),
      artifact: {
        base_commit: fakeSha1('a') + 'a'.repeat(24),
        tree: fakeSha1('b') + 'b'.repeat(24),
        patch_key: `artifacts/${'i'.repeat(64)}/40/patch-${'a'.repeat(64)}.diff`,
        patch_sha256: 'c'.repeat(64),
        patch_bytes: 20_000_000,
        transcript_key: `artifacts/${'i'.repeat(64)}/40/transcript-${'a'.repeat(64)}.log`,
      },
      verification: {
        key: `evidence/${'i'.repeat(64)}/40/evidence-3.json`,
        tree: fakeSha1('b') + 'b'.repeat(24),
        base_commit: fakeSha1('a') + 'a'.repeat(24),
        signals: Array.from({ length: of.checks }, () => ({
          ...check,
          type: 'test_passes',
          subject: of.detail,
          detail: of.detail,
        })),
        gates: Array.from({ length: of.checks }, (_, index) => ({
          ...check,
          name: `gate-${index}-${of.facts}`,
          required: true,
          blocked: true,
          cached: false,
          detail: of.detail,
          finding_count: 3,
          facts: Object.fromEntries(['tool', 'a', 'b', 'c'].map((name) => [name, of.facts])),
          ...(index === 0 && { screenshots: pictures }),
        })),
        files_with_findings: [],
        failed_checks: [],
        restored_file_count: 0,
        protected_files: Array.from({ length: of.checks }, () => ({
          path: of.path,
          kind: 'coverage_config' as const,
          checked_version: 'patch' as const,
          allowed_by: of.path,
        })),
        duration_ms: 1_000,
        at: FIXED_NOW.toISOString(),
      },
      verification_failure: {
        failure_code: 'repository_unavailable',
        message: of.failure,
        at: FIXED_NOW.toISOString(),
      },
      verdict: verdict({
        verdict: 'refer',
        reasons: Array.from({ length: of.reasons }, () => ({
          code: 'signal_infra_failed',
          subject: of.detail,
          message: of.message,
        })),
        judging_cost_usd: 1.2345678901234567,
        workflow: {
          name: 'w'.repeat(64),
          routes: Array.from({ length: of.judgements }, () => ({
            node: 'n'.repeat(64),
            verdict: 'fail' as const,
            is_graded: true,
            target: 't'.repeat(64),
            skipped_nodes: Array.from({ length: of.judgements * 20 }, () => 's'.repeat(64)),
          })),
          review_pipeline: {
            current_stage: 'verdict',
            stages_completed: [],
            stage_results: { verdict: { verdict: 'refer' as const, reason: of.detail } },
          },
        },
        judgements: Array.from({ length: of.judgements }, () => ({
          grading: {
            node: 'n'.repeat(64),
            rubric: 'r'.repeat(64),
            decomposer: 'identity',
            grader: 'heuristic',
            grades: Object.fromEntries(
              Array.from({ length: 20 }, (_, index) => [`${index}${'g'.repeat(60)}`, 0.123456789]),
            ),
            weighted_score: 0.123456789,
            handoff: {
              from_agent_id: 'f'.repeat(64),
              to_agent_id: 't'.repeat(64),
              from_stage: 's'.repeat(64),
              to_stage: 's'.repeat(64),
              artifact_refs: ['a'.repeat(200), 'b'.repeat(200)],
              probes: Array.from({ length: 20 }, () => ({ id: 'p'.repeat(74), probe_text: of.detail })),
              probes_omitted: 80,
              payload_sha256: 'a'.repeat(64),
              created_at: FIXED_NOW.toISOString(),
            },
          },
          kind: 'llm_review' as const,
          subject: of.detail.slice(0, 300),
          outcome: 'infra_failed' as const,
          verdict: 'refer' as const,
          confidence: 0.123456789,
          reasons: Array.from({ length: 7 }, () => of.message),
          injections: Array.from({ length: 10 }, () => of.path),
          request_reason: of.detail,
          model: of.model,
          family: 'f'.repeat(50),
          prompt: { id: 'llm_review', version: 12, sha256: 'f'.repeat(64) },
          calibration: 'c'.repeat(64),
          calls: 3,
          tokens: { input: 2 ** 53 - 1, output: 2 ** 53 - 1 },
          cost_usd: 1.2345678901234567,
          duration_ms: 123_456,
        })),
      }),
      route: { rule: 'large_and_complex', reason: of.decision.slice(0, 800) },
      decision: {
        action: 'escalate',
        reason: of.decision,
        next_model: of.model,
        next_tier: 'sonnet',
        at: FIXED_NOW.toISOString(),
      },
      agent: of.agent,
      gates: of.gates,
      deliver: of.deliver,
    }),
  );

const pictures = Array.from({ length: MAX_SCREENSHOTS_PER_GATE }, (_, index) => ({
  name: `${index}`.padEnd(40, 'n'),
  path: `/${'p'.repeat(499)}`,
  width: MAX_SCREENSHOT_SIDE,
  height: MAX_SCREENSHOT_SIDE,
  sha256: 'a'.repeat(64),
  bytes: MAX_SCREENSHOT_BYTES,
}));

/** What a task keeps of its workflow, as large as it may be. */
const IN_FORCE: NonNullable<Task['resolved_workflow']> = {
  name: 'careful',
  source: 'repository',
  version: '1.0.0',
  steps: [{ node: 'work', title: 'Do it', description: 'd'.repeat(MAX_RESOLVED_WORKFLOW_BYTES - 300) }],
  verifications: [],
  review: ReviewSettings.parse({}),
};

/** The largest task that is accepted: its description fills what is left, in characters of any size. */
const request = unit.map((each): Task => {
  const made = task({ id: 'i'.repeat(64), created_by: 'x'.repeat(64) });
  const room = MAX_NEW_TASK_BYTES - measureItemBytes(made);
  return { ...made, description: each.repeat(Math.floor(room / Buffer.byteLength(each))) };
});

const largest = (least: number): fc.Arbitrary<Task> =>
  fc
    .record({
      of: request,
      attempts: fc.array(fullAttempt, { minLength: 1, maxLength: 4 }),
      rounds: fc.integer({ min: least, max: MOST_ATTEMPTS }),
      words: text(4_000),
      held: fc.constantFrom(0, 50),
      isOver: fc.boolean(),
    })
    .map(({ of, attempts, rounds, words, held, isOver }) => ({
      ...of,
      workflow: 'careful',
      resolved_workflow: IN_FORCE,
      status: 'in_review' as const,
      version: 1_000,
      run: 1_000,
      attempts: Array.from({ length: rounds }, (_, index) => {
        const each = attempts[index % attempts.length] ?? attempt();
        const last = index === rounds - 1 && !isOver;
        return { ...each, number: index + 1, ...(last ? { outcome: null, decision: null } : {}) };
      }),
      hold: { reasons: Array.from({ length: held }, () => words), since: FIXED_NOW.toISOString() },
      review: {
        decision: 'reject' as const,
        reason: words,
        by: 'ann',
        at: FIXED_NOW.toISOString(),
        base_commit: fakeSha1('a'),
        tree: fakeSha1('b'),
        accepted_protected_files: Array.from({ length: Math.min(held, 30) }, () => words.slice(0, 200)),
      },
      delivery: {
        state: 'refused' as const,
        base_commit: fakeSha1('a'),
        tree: fakeSha1('b'),
        branch: `assay/${'i'.repeat(64)}`,
        commit: fakeSha1('d'),
        reason: words,
        at: FIXED_NOW.toISOString(),
      },
      failure: { code: 'delivery_refused', message: words },
      base_autonomy: 'supervised' as const,
      approvals: Array.from({ length: MAX_APPROVALS_PER_TASK }, (_, index) =>
        approval({
          number: index + 1,
          action: `${'a'.repeat(32)}:${'b'.repeat(32)}`,
          title: words.slice(0, 200),
          description: words.slice(0, 1_000),
          requested_by: 'r'.repeat(128),
          decided_by: 'd'.repeat(128),
          decision_reason: words.slice(0, MAX_DECISION_REASON_LENGTH),
          status: 'approved',
          decided_at: FIXED_NOW.toISOString(),
          deadlines: Array.from({ length: 10 }, () => ({
            at: FIXED_NOW.toISOString(),
            outcome: 'escalate' as const,
            to: 'r'.repeat(64),
          })),
          parked_work: {
            tree: fakeSha1('a'),
            patch_key: `artifacts/${'i'.repeat(64)}/1/patch-${'f'.repeat(64)}.diff`,
            patch_sha256: 'f'.repeat(64),
            patch_bytes: 999_999,
          },
          ...(index === MAX_APPROVALS_PER_TASK - 1 && {
            parked_session: { id: 's'.repeat(64), sha256: 'f'.repeat(64) },
          }),
        }),
      ),
    }));

/** What decides: the task without its words. */
const decisive = (of: Task) => ({
  ...of,
  hold: of.hold?.since,
  approvals: of.approvals?.map((each) => ({ ...each, title: '', description: '', decision_reason: null })),
  review: of.review && { ...of.review, reason: '', accepted_protected_files: [] },
  delivery: of.delivery && { ...of.delivery, reason: '' },
  failure: of.failure?.code,
  attempts: of.attempts.map((each, index) => {
    const current = index === of.attempts.length - 1;
    return {
      ...each,
      progress: each.progress && { ...each.progress, message: '' },
      // The words of the present agent are looked at when its attempt is decided upon.
      report:
        current && each.decision === null
          ? each.report
          : each.report && { ...each.report, summary: '', output_tail: '' },
      verification: each.verification && {
        ...each.verification,
        signals: [],
        gates: [],
        protected_files: [],
        truncated: true,
      },
      verification_failure: each.verification_failure?.failure_code,
      verdict: each.verdict && {
        ...each.verdict,
        reasons: [],
        judgements: [],
        workflow: each.verdict.workflow?.routes
          .slice(-1)
          .map(({ node, is_graded: graded }) => [node, graded]),
      },
      route: each.route?.rule,
      decision: each.decision && { ...each.decision, reason: '' },
    };
  }),
});

describe('a task', () => {
  it('can always be written: the largest request, the most attempts, the most words, whatever they are made of', () => {
    fc.assert(
      fc.property(largest(1), (of) => {
        const kept = shrinkTaskToItem(of);
        expect(measured(image(kept))).toBeLessThanOrEqual(MAX_ITEM_BYTES);
        expect(decisive(kept)).toEqual(decisive(of));
        expect(shrinkTaskToItem(kept)).toEqual(kept);
      }),
      { numRuns: 60 },
    );
  });

  it('has room for the shortest form of all attempts beside the largest request', () => {
    fc.assert(
      fc.property(largest(MOST_ATTEMPTS), (of) => {
        expect(measured(image(shrinkTaskFully(of)))).toBeLessThanOrEqual(MAX_ITEM_BYTES);
      }),
      { numRuns: 20 },
    );
  });

  it('loses words of the verdict that waits for a challenge', () => {
    const reason = { code: 'signal_failed', subject: 's', message: 'm'.repeat(10_000) };
    const waiting = challenge({
      pending_verdict: verdict({ reasons: Array.from({ length: 100 }, () => reason) }),
      effect: { verdict: 'refer', reason },
    });
    const task = shrinkTaskToItem(taskInReview({ challenge: waiting }));
    expect(measureItemBytes(task)).toBeLessThanOrEqual(MAX_STORED_TASK_BYTES);
    expect(task.attempts[0]?.challenge).toMatchObject({
      pending_verdict: { verdict: 'pass' },
      effect: { verdict: 'refer', reason: { code: 'signal_failed' } },
    });
  });

  it('that fits is left as it is', () => {
    const small = taskInReview();
    expect(shrinkTaskToItem(small)).toBe(small);
  });

  it('is measured as the table measures it', () => {
    fc.assert(
      fc.property(largest(1), (of) => {
        const difference = measured(image(of)) - measureItemBytes(of);
        expect(difference).toBeGreaterThanOrEqual(0);
        expect(difference).toBeLessThan(2_000);
      }),
      { numRuns: 20 },
    );
  });

  it('loses the words of its oldest attempts first', () => {
    const old = attempt({ outcome: 'failed', report: report({ summary: 'x'.repeat(4_000) }) });
    const attempts = Array.from({ length: 30 }, (_, index) => ({ ...old, number: index + 1 }));
    const of = { ...taskInReview(), description: 'd'.repeat(MAX_NEW_TASK_BYTES + 100_000), attempts };
    const kept = shrinkTaskToItem(of).attempts.map((each) => each.report?.summary.length ?? 0);
    expect(kept[0]).toBeLessThan(4_000);
    expect(kept.at(-2)).toBeGreaterThan(kept[0] ?? 0);
    expect(shrinkTaskToItem(of).attempts[0]?.report?.summary.endsWith('[cut]')).toBe(true);
  });
});

describe('a text that is cut', () => {
  it('has at most as many bytes, says so, splits no character and is not cut again', () => {
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 60 }), fc.integer({ min: 5, max: 120 }), (units, bytes) => {
        const whole = units.join('');
        const short = truncateToBytes(whole, bytes);
        expect(Buffer.byteLength(short)).toBeLessThanOrEqual(bytes);
        expect(truncateToBytes(short, bytes)).toBe(short);
        if (short !== whole) {
          expect(short.endsWith('[cut]')).toBe(true);
          expect(whole.startsWith(short.slice(0, -5))).toBe(true);
        }
      }),
    );
  });
});
