import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DEFAULT_TIER_MODELS } from '../../../../shared/contract/agents/tiers.ts';
import {
  CompletionSignal,
  effectiveQualityThreshold,
  type ModelJudgedSignal,
} from '../../../../shared/contract/submission/signals.ts';
import { decideNextCascadeAction } from '../../../../shared/control/cascade/decide-after-attempt.ts';
import {
  BREAKER_OPEN_SECONDS,
  determineBreakerState,
  MAX_CONSECUTIVE_REJECTIONS,
  type QualityGateCircuitBreaker,
  recordQualityGateResult,
} from '../../../../shared/reviews/judging/circuit-breaker.ts';
import {
  findPreflightRejection,
  type PreflightCheckInput,
} from '../../../../shared/reviews/judging/preflight.ts';
import { newQualityGateResult } from '../../../../shared/reviews/judging/quality-gate-result.ts';
import { createAskModel } from '../../../../shared/reviews/model-clients/ask-model.ts';
import type { ObjectStore } from '../../../../shared/store/object-store.ts';
import type { TaskStore } from '../../../../shared/store/task-store.ts';
import { runAttemptReviewers } from '../../../../shared/use-cases/review/ask-judges.ts';
import * as build from '../../../support/builders.ts';
import { type ModelServer, startModelServer } from '../../../support/models/model-server.ts';
import { stub } from '../../../support/stub.ts';

const gate = (fields: object = {}) =>
  CompletionSignal.parse({ type: 'quality_gate', ...fields }) as ModelJudgedSignal & { type: 'quality_gate' };

describe('what is rejected before a model is asked', () => {
  const work = (fields: Partial<PreflightCheckInput>): PreflightCheckInput => ({
    targets: [],
    changed: ['src/a.ts'],
    description: 'Make it add.',
    toolCalls: 3,
    ...fields,
  });

  it.each<[string, Partial<PreflightCheckInput>, string | null]>([
    ['no named file was touched', { targets: ['src/b.ts', 'docs'] }, 'targets_untouched'],
    ['one of the named files was touched', { targets: ['src/b.ts', 'src/a.ts'] }, null],
    ['a file of a named folder was touched', { targets: ['src'] }, null],
    ['no tool was used', { toolCalls: 0 }, 'no_tool_used'],
    ['nobody counted tools', { toolCalls: null }, null],
    [
      'a file was asked for and none written',
      { changed: [], description: 'Create a file.' },
      'no_file_written',
    ],
    ['files, in the plural', { changed: [], description: 'generate the documents' }, 'no_file_written'],
    ['a phrase', { changed: [], description: 'Save to disk' }, 'no_file_written'],
    ['nothing was asked to be written', { changed: [], description: 'Look into it.' }, null],
    ['noun and verb on two lines', { changed: [], description: 'Write\na file' }, null],
    ['a word inside of another', { changed: [], description: 'Rewrite the profile' }, null],
    [
      'all at once: the files count first',
      { targets: ['b'], changed: [], toolCalls: 0 },
      'targets_untouched',
    ],
  ])('%s', (_, fields, because) => {
    const found = findPreflightRejection(work(fields));
    if (because === null) expect(found).toBeNull();
    else expect(found).toMatchObject({ code: because });
  });
});

describe('the threshold', () => {
  it('is 3, one lower for what others build on, never below 2 by that, and may be set', () => {
    expect(effectiveQualityThreshold(gate())).toBe(3);
    expect(effectiveQualityThreshold(gate({ foundation: true }))).toBe(2);
    expect(effectiveQualityThreshold(gate({ foundation: true, threshold: 5 }))).toBe(4);
    expect(effectiveQualityThreshold(gate({ foundation: true, threshold: 1 }))).toBe(1);
    expect(CompletionSignal.safeParse({ type: 'quality_gate', threshold: 6 }).success).toBe(false);
  });

  it('comes with one attempt more', () => {
    const failed = (signal: ModelJudgedSignal, attempts: number) =>
      decideNextCascadeAction(
        build.task(
          {
            status: 'in_review',
            attempts: Array.from({ length: attempts }, (_, index) =>
              build.attempt({
                number: index + 1,
                tier: 'haiku',
                model: DEFAULT_TIER_MODELS.haiku,
                outcome: index + 1 === attempts ? null : 'failed',
                verdict: build.verdict({ verdict: 'fail' }),
              }),
            ),
          },
          { budget: { max_attempts: 2 }, completion_signals: [signal] },
        ),
        DEFAULT_TIER_MODELS,
      ).action;
    expect(failed(gate(), 2)).toBe('give_up');
    expect(failed(gate({ foundation: true }), 2)).toBe('escalate');
    expect(failed(gate({ foundation: true }), 3)).toBe('give_up');
  });
});

describe('the breaker of a model', () => {
  const T0 = Date.parse('2026-11-20T10:00:00.000Z');
  const at = (minutes: number): string => new Date(T0 + minutes * 60_000).toISOString();
  const rejections = (count: number, from = 0): QualityGateCircuitBreaker | null =>
    Array.from({ length: count }).reduce<QualityGateCircuitBreaker | null>(
      (breaker, _, index) =>
        recordQualityGateResult(breaker, { id: `t${from + index}`, at: at(from + index), passed: false }),
      null,
    );

  it('opens with five rejections in a row, is half open after an hour, and the next mark decides', () => {
    expect(determineBreakerState(rejections(MAX_CONSECUTIVE_REJECTIONS - 1), new Date(T0)).state).toBe(
      'closed',
    );
    const open = rejections(MAX_CONSECUTIVE_REJECTIONS);
    const opened = T0 + 4 * 60_000;
    expect(determineBreakerState(open, new Date(opened))).toEqual({
      state: 'open',
      until: new Date(opened + BREAKER_OPEN_SECONDS * 1_000).toISOString(),
    });
    const later = new Date(opened + BREAKER_OPEN_SECONDS * 1_000);
    expect(determineBreakerState(open, later)).toEqual({ state: 'half_open', until: null });
    const next = { id: 'next', at: later.toISOString() };
    expect(determineBreakerState(recordQualityGateResult(open, { ...next, passed: true }), later).state).toBe(
      'closed',
    );
    expect(
      determineBreakerState(recordQualityGateResult(open, { ...next, passed: false }), later).state,
    ).toBe('open');
  });

  it('counts a mark once, however often and in whatever order it comes again', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 12 }),
        fc.array(fc.nat(11), { maxLength: 12 }),
        (marks, again) => {
          const events = marks.map((passed, index) => ({ id: `t${index}`, at: at(index), passed }));
          const once = events.reduce<QualityGateCircuitBreaker | null>(recordQualityGateResult, null);
          const repeats = again.flatMap((index) => events[index] ?? []);
          expect(
            [...events, ...repeats].reduce<QualityGateCircuitBreaker | null>(recordQualityGateResult, null),
          ).toEqual(once);
          const last = marks.lastIndexOf(true);
          expect(once?.rejected_attempts.length ?? 0).toBe(
            Math.min(MAX_CONSECUTIVE_REJECTIONS, marks.length - 1 - last),
          );
        },
      ),
    );
  });

  it('is told of marks only, once for each attempt, by the model that wrote', () => {
    const judged = (score: number | undefined, outcome: 'passed' | 'failed' | 'could_not_run' = 'failed') =>
      build.task({
        id: 'T1',
        attempts: [
          build.attempt({
            model: 'small',
            verdict: build.verdict({
              judgements: [{ ...judgement, outcome, ...(score === undefined ? {} : { score }) }],
            }),
          }),
        ],
      });
    const judgement = {
      kind: 'quality_gate' as const,
      subject: 'quality_gate: at least 3 of 5',
      outcome: 'failed' as const,
      verdict: 'fail' as const,
      confidence: null,
      reasons: [],
      injections: [],
      request_reason: 'b',
      model: 'judge',
      family: 'f',
      prompt: null,
      calibration: null,
      calls: 1,
      tokens: null,
      cost_usd: null,
      duration_ms: 1,
    };
    const before = build.task({ id: 'T1', attempts: [build.attempt({ model: 'small', verdict: null })] });
    expect(newQualityGateResult(before, judged(2))).toMatchObject({
      id: 'T1#1',
      model: 'small',
      passed: false,
    });
    expect(newQualityGateResult(before, judged(4, 'passed'))).toMatchObject({ passed: true });
    expect(newQualityGateResult(judged(2), judged(2))).toBeNull();
    expect(newQualityGateResult(before, judged(undefined))).toBeNull();
    expect(newQualityGateResult(before, before)).toBeNull();
  });
});

describe('the quality gate', () => {
  let server: ModelServer;
  let said: unknown;
  beforeAll(async () => {
    server = await startModelServer({ answer: () => said });
  });
  afterAll(() => server.stop());

  async function judge(
    more: {
      times?: number;
      files?: string[];
      breaker?: QualityGateCircuitBreaker;
      configured?: boolean;
      signal?: ModelJudgedSignal;
    } = {},
  ) {
    const task = build.taskInReview(
      {
        model: 'small',
        ...(more.times === undefined
          ? {}
          : {
              reverification: {
                count: more.times,
                earlier_judging_cost_usd: 0,
                earlier_verdict: 'refer' as const,
                reason: 'r',
                by: 'ada',
                at: build.FIXED_NOW.toISOString(),
              },
            }),
        verification: {
          key: 'evidence',
          tree: build.fakeSha1('b'),
          base_commit: build.fakeSha1('a'),
          signals: [],
          gates: [],
          files_with_findings: [],
          failed_checks: [],
          restored_file_count: 0,
          protected_files: [],
          duration_ms: 1,
          at: build.FIXED_NOW.toISOString(),
        },
        artifact: build.artifact({ patch_key: 'patch' }),
      },
      { files: more.files ?? [], completion_signals: [more.signal ?? gate({ criteria: 'it adds' })] },
    );
    const evidence = build.evidence({ changed_files: ['src/sum.js'] });
    const before = server.calls.length;
    const [judgement] = await runAttemptReviewers(
      task.id,
      1,
      {},
      {
        tasks: stub<TaskStore>({ require: async () => task }),
        objects: {
          getByDigest: async (key: string) =>
            key === 'patch' ? 'diff --git a/x b/x\n' : JSON.stringify(evidence),
        } as unknown as ObjectStore,
        models:
          more.configured === false
            ? {}
            : {
                judge: {
                  provider: 'anthropic',
                  model: 'claude-sonnet-5-5',
                  key: { via: 'environment', variable: 'K' },
                  url: server.url,
                },
              },
        readBreaker: async () => more.breaker ?? null,
        ask: createAskModel({ readKey: async () => 'k' }),
        now: () => build.FIXED_NOW,
      },
    );
    return { judgement, calls: server.calls.length - before };
  }
  const mark = (score: unknown) => ({ feedback: 'f', fixes: ['a.js: mend it'], score });

  it.each([
    [1, 'failed', 'fail'],
    [2, 'failed', 'fail'],
    [3, 'passed', 'pass'],
    [5, 'passed', 'pass'],
  ])('makes of %i what the threshold says, and keeps the score', async (score, outcome, verdict) => {
    said = mark(score);
    const { judgement } = await judge();
    expect(judgement).toMatchObject({ kind: 'quality_gate', score, outcome, verdict });
    expect(judgement?.reasons).toEqual([`${score} of 5: f`, 'To mend: a.js: mend it']);
  });

  it('shows the criteria, what the agent says, which files it is about, and the date', async () => {
    said = mark(4);
    await judge({ files: ['src/sum.js'] });
    const asked = server.calls.at(-1)?.raw.toString('utf8') ?? '';
    for (const part of [
      'it adds',
      'named by the task: src/sum.js (changed)',
      build.FIXED_NOW.toISOString().slice(0, 10),
    ])
      expect(asked).toContain(part);
  });

  it.each([4.5, 0, 6, '4', null, undefined])('takes %j for no score, and for nobody’s 3', async (score) => {
    said = mark(score);
    const { judgement } = await judge();
    expect(judgement).toMatchObject({ outcome: 'could_not_run', verdict: 'refer' });
    expect(judgement?.score).toBeUndefined();
  });

  it('rejects what can be seen without a model, also where none is configured, and asks nobody', async () => {
    for (const configured of [true, false])
      expect(await judge({ files: ['docs'], configured })).toMatchObject({
        judgement: { outcome: 'failed', verdict: 'fail', model: null, calls: 0 },
        calls: 0,
      });
  });

  it('asks nobody once the task has been judged as often as its budget allows', async () => {
    said = mark(5);
    expect((await judge({ times: 4 })).calls).toBe(1);
    expect(await judge({ times: 5 })).toMatchObject({
      judgement: {
        outcome: 'could_not_run',
        verdict: 'refer',
        request_reason: expect.stringContaining('judged this task 5 times'),
      },
      calls: 0,
    });
  });

  it('asks nobody about a model whose breaker is open; that is no pass', async () => {
    const open = {
      rejected_attempts: ['a', 'b', 'c', 'd', 'e'],
      last_result_at: build.FIXED_NOW.toISOString(),
      opened_at: build.FIXED_NOW.toISOString(),
    };
    expect(await judge({ breaker: open })).toMatchObject({
      judgement: {
        outcome: 'could_not_run',
        verdict: 'refer',
        request_reason: expect.stringContaining('of small were rejected'),
      },
      calls: 0,
    });
    // What can be seen without a model is looked at all the same.
    expect((await judge({ breaker: open, files: ['docs'] })).judgement?.outcome).toBe('failed');
  });
});
