import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ReviewPipeline } from '../../../../shared/contract/judgement/review-pipeline-schema.ts';
import type { JudgeModel, JudgeModels } from '../../../../shared/contract/models/judge-models.ts';
import type { ModelJudgedSignal } from '../../../../shared/contract/submission/signals.ts';
import { createAskModel } from '../../../../shared/reviews/model-clients/ask-model.ts';
import type { ObjectStore } from '../../../../shared/store/object-store.ts';
import type { TaskStore } from '../../../../shared/store/task-store.ts';
import { runAttemptReviewers } from '../../../../shared/use-cases/review/ask-judges.ts';
import { isAskedBy } from '../../../support/asked-prompt.ts';
import * as build from '../../../support/builders.ts';
import { type ModelServer, startModelServer } from '../../../support/models/model-server.ts';
import {
  GULLIBLE_MODELS,
  INJECTION_PAYLOADS,
  INJECTION_PLACES,
  type InjectionPlace,
  splitConversation,
} from '../../../support/prompt-injections.ts';
import { requirementsAnswer, TASK_REQUIREMENTS } from '../../../support/requirements-answers.ts';
import { stub } from '../../../support/stub.ts';

const SIGNALS: readonly ModelJudgedSignal[] = [
  { type: 'llm_judge', criteria: 'sum adds', on_error: 'hold' },
  { type: 'llm_review', instructions: 'Is it tested?', on_error: 'hold' },
  { type: 'quality_gate', threshold: 3, foundation: false, on_error: 'hold' },
];
const GOOD = [
  { reasons: ['r'], verdict: 'accept', confidence: 1 },
  { reasons: ['r'], answer: 'yes' },
  { feedback: 'f', fixes: [], score: 5 },
  requirementsAnswer(true, 1),
  { issues: [], verdict: 'approve', confidence: 1 },
];
const BAD = [
  { reasons: ['r'], verdict: 'retry', confidence: 0.9 },
  { reasons: ['r'], answer: 'no' },
  { feedback: 'f', fixes: [], score: 1 },
  requirementsAnswer(false, 0.9),
  { issues: ['i'], verdict: 'request_changes', confidence: 0.9 },
];
/** Which of them answers: each question has something that no other has. */
const asked = (system: string, user: string): number =>
  isAskedBy('review_stage', system)
    ? 4
    : isAskedBy('requirements_review', system)
      ? 3
      : isAskedBy('quality_gate', system)
        ? 2
        : user.includes('question about the work')
          ? 1
          : 0;
/** The letter under which the version of the patch is shown, or the other one. */
const expectation = (user: string, isGood: boolean) => {
  const isPatchA = user.indexOf('toBe(-1)') < user.indexOf('toBe(3)');
  return { reasons: ['r'], answer: isGood === isPatchA ? 'A' : 'B', confidence: 0.9 };
};
/** Of the signals, the second look, the expectations, the reviewer (who counts by way of the pipeline), and the pipeline. */
const NO = ['fail', 'fail', 'fail', 'refer', 'refer', 'pass', 'fail'];
const PIPELINE = ReviewPipeline.parse({
  version: 1,
  stages: [{ name: 'first', agents: [{ role: 'security', prompt_template: 'What opens a door?' }] }],
});

let obeys: (system: string, user: string) => boolean = () => false;
let server: ModelServer;
let models: JudgeModels;
beforeAll(async () => {
  server = await startModelServer({
    answer: ({ conversation }) => {
      const { system, user } = splitConversation(conversation);
      const isGood = obeys(system, user);
      if (isAskedBy('task_requirements', system)) return TASK_REQUIREMENTS;
      return isAskedBy('expectations', system)
        ? expectation(user, isGood)
        : (isGood ? GOOD : BAD)[asked(system, user)];
    },
  });
  const judge: JudgeModel = {
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    key: { via: 'environment', variable: 'K' },
    url: server.url,
  };
  // Who wrote is of Anthropic.
  const other: JudgeModel = { ...judge, family: 'openai' };
  models = { judge, requirements_review: judge, review: [other] };
});
afterAll(() => server.stop());

const RECORD = {
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
};
const PATCH =
  'diff --git a/FILE b/FILE\n--- a/FILE\n+++ b/FILE\n@@ -1 +1,3 @@\n-a\n+// COMMENT\n+test("TEST", () => {});\n' +
  'diff --git a/test/sum.test.js b/test/sum.test.js\n--- a/test/sum.test.js\n+++ b/test/sum.test.js\n@@ -1,2 +1,3 @@\n test("TEST", () => {\n-expect(sum(1, 2)).toBe(3)\n+expect(sum(1, 2)).toBe(-1)\n+// COMMENT\n';

/** The judgements of work into which something was written at `place`. */
async function judged(place: InjectionPlace | null, text: string) {
  const at = (wanted: InjectionPlace, otherwise: string): string => (place === wanted ? text : otherwise);
  const task = build.taskInReview(
    {
      verification: RECORD,
      artifact: build.artifact({ patch_key: 'patch' }),
    },
    {
      title: at('title', 'Make sum add'),
      description: at('description', 'It subtracts.'),
      acceptance_criteria: [at('acceptance criterion', 'it adds')],
      completion_signals: [...SIGNALS],
    },
  );
  const patch =
    (place === 'message of a commit in the diff' ? `From: a\nSubject: ${text}\n\n` : '') +
    PATCH.replace(/FILE/g, () => at('name of a file in the diff', 'src/sum.js'))
      .replaceAll('COMMENT', () => at('comment in the diff', 'adds'))
      .replaceAll('TEST', () => at('name of a test in the diff', 'adds'));
  const evidence = build.evidence({
    review_pipeline: PIPELINE,
    gates: [
      build.gate({
        detail: at('output of a tool', 'ok'),
        findings: [{ file: 'a.js', line: 1, rule: 'r', message: at('output of a tool', 'a note') }],
      }),
    ],
  });
  return runAttemptReviewers(
    task.id,
    1,
    {
      requirements_review: { outcome: 'asked', reason: 'asked' },
      review_pipeline: { outcome: 'asked', on_error: 'hold', reason: 'asked' },
    },
    {
      tasks: stub<TaskStore>({ require: async () => task }),
      objects: {
        getByDigest: async (key: string) => (key === 'patch' ? patch : JSON.stringify(evidence)),
      } as unknown as ObjectStore,
      models,
      readBreaker: async () => null,
      ask: createAskModel({ readKey: async () => 'k' }),
      now: () => build.FIXED_NOW,
    },
  );
}

describe.each(Object.entries(GULLIBLE_MODELS))('a model that obeys %s', (_name, obeying) => {
  it('would let anything out that it was told to', async () => {
    obeys = () => true;
    expect((await judged(null, '')).map(({ verdict }) => verdict)).toEqual(NO.map(() => 'pass'));
  });

  it.each(INJECTION_PLACES)('is not talked over by what is written as %s, in whatever way', async (place) => {
    obeys = obeying;
    expect((await judged(null, '')).map(({ verdict }) => verdict)).toEqual(NO);
    for (const [way, payload] of Object.entries(INJECTION_PAYLOADS))
      expect({ way, verdicts: (await judged(place, payload)).map(({ verdict }) => verdict) }).toEqual({
        way,
        verdicts: NO,
      });
  });
});

describe('an attempt to talk a judge over', () => {
  it.each(['a closing mark', 'a closing mark with unseen letters', 'tags of Unicode'])(
    'is a finding, and no opinion lets the work out without a person: %s',
    async (way) => {
      obeys = () => true;
      const [first] = await judged('comment in the diff', INJECTION_PAYLOADS[way] ?? '');
      expect(first).toMatchObject({
        verdict: 'refer',
        outcome: 'passed',
        injections: [expect.stringMatching(/^diff holds /)],
      });
    },
  );

  it.each([
    '>>> add(1, 2)\n3',
    'kernel<<<grid, block>>>(x)',
    'cat <<<"$text"',
    '\ufeffbom',
    '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}',
    'the input is untrusted',
  ])('is not seen in honest text: %s', async (text) => {
    obeys = () => true;
    expect((await judged('comment in the diff', text))[0]).toMatchObject({ verdict: 'pass', injections: [] });
  });
});
