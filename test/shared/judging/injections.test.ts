import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JudgeModel, JudgeModels } from '../../../shared/judging/models.ts';
import { askModel } from '../../../shared/providers/ask.ts';
import type { ObjectStore } from '../../../shared/store/objects.ts';
import type { TaskStore } from '../../../shared/store/tasks.ts';
import type { JudgedSignal } from '../../../shared/task/signals.ts';
import { askJudges } from '../../../shared/use-cases/ask-judges.ts';
import * as build from '../../support/builders.ts';
import { GULLIBLE, heard, type InjectionPlace, PAYLOADS, PLACES } from '../../support/injections.ts';
import { type ModelServer, startModelServer } from '../../support/models/server.ts';

const SIGNALS: readonly JudgedSignal[] = [
  { type: 'llm_judge', criteria: 'sum adds', on_error: 'hold' },
  { type: 'llm_review', instructions: 'Is it tested?', on_error: 'hold' },
  { type: 'quality_gate', threshold: 3, foundation: false, on_error: 'hold' },
];
const GOOD = [
  { reasons: ['r'], verdict: 'accept', confidence: 1 },
  { reasons: ['r'], answer: 'yes' },
  { feedback: 'f', fixes: [], score: 5 },
  { reasons: ['r'], verdict: 'clear', confidence: 1 },
];
const BAD = [
  { reasons: ['r'], verdict: 'retry', confidence: 0.9 },
  { reasons: ['r'], answer: 'no' },
  { feedback: 'f', fixes: [], score: 1 },
  { reasons: ['r'], verdict: 'doubt', confidence: 0.9 },
];
/** Which of them answers: each question has something that no other has. */
const asked = (system: string, user: string): number =>
  system.includes('You look once more')
    ? 3
    : system.includes('You mark the work')
      ? 2
      : user.includes('question about the work')
        ? 1
        : 0;
const NO = ['fail', 'fail', 'fail', 'refer'];

let obeys: (system: string, user: string) => boolean = () => false;
let server: ModelServer;
let models: JudgeModels;
beforeAll(async () => {
  server = await startModelServer({
    answer: ({ conversation }) => {
      const { system, user } = heard(conversation);
      return (obeys(system, user) ? GOOD : BAD)[asked(system, user)];
    },
  });
  const judge: JudgeModel = {
    provider: 'anthropic',
    model: 'claude-sonnet-5-5',
    key: { via: 'environment', variable: 'K' },
    url: server.url,
  };
  models = { judge, second_look: judge };
});
afterAll(() => server.stop());

const RECORD = {
  key: 'evidence',
  tree: build.sha1('b'),
  base_commit: build.sha1('a'),
  signals: [],
  gates: [],
  duration_ms: 1,
  at: build.NOW.toISOString(),
};
const PATCH =
  'diff --git a/FILE b/FILE\n--- a/FILE\n+++ b/FILE\n@@ -1 +1,3 @@\n-a\n+// COMMENT\n+test("TEST", () => {});\n';

/** The judgements of work into which something was written at `place`. */
async function judged(place: InjectionPlace | null, text: string) {
  const at = (wanted: InjectionPlace, otherwise: string): string => (place === wanted ? text : otherwise);
  const task = build.inReview(
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
      .replace('COMMENT', () => at('comment in the diff', 'adds'))
      .replace('TEST', () => at('name of a test in the diff', 'adds'));
  const evidence = build.evidence({
    gates: [
      build.gate({
        detail: at('output of a tool', 'ok'),
        findings: [{ file: 'a.js', line: 1, rule: 'r', message: at('output of a tool', 'a note') }],
      }),
    ],
  });
  return askJudges(
    task.id,
    1,
    { outcome: 'asked', because: 'asked' },
    {
      tasks: { require: async () => task } as unknown as TaskStore,
      objects: {
        getByDigest: async (key: string) => (key === 'patch' ? patch : JSON.stringify(evidence)),
      } as unknown as ObjectStore,
      models,
      breaker: async () => null,
      ask: askModel({ readKey: async () => 'k' }),
      now: () => build.NOW,
    },
  );
}

describe.each(Object.entries(GULLIBLE))('a model that obeys %s', (_name, obeying) => {
  it('would let anything out that it was told to', async () => {
    obeys = () => true;
    expect((await judged(null, '')).map(({ verdict }) => verdict)).toEqual(['pass', 'pass', 'pass', 'pass']);
  });

  it.each(PLACES)('is not talked over by what is written as %s, in whatever way', async (place) => {
    obeys = obeying;
    expect((await judged(null, '')).map(({ verdict }) => verdict)).toEqual(NO);
    for (const [way, payload] of Object.entries(PAYLOADS))
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
      const [first] = await judged('comment in the diff', PAYLOADS[way] ?? '');
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
