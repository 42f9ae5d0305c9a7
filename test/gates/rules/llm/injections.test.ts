import { describe, expect, test } from 'vitest';
import type { PatchToCheck } from '../../../../gates/core/patch-to-check.ts';
import { crossModelGate } from '../../../../gates/gates/cross-model.ts';
import { integrationTestGenGate } from '../../../../gates/gates/integration-test-gen.ts';
import { intentVerificationGate } from '../../../../gates/gates/intent-verification.ts';
import { reviewRubricGate } from '../../../../gates/gates/review-rubric.ts';
import { createSubject, type FileEdits } from '../../../support/patch-fixture.ts';
import {
  GULLIBLE_MODELS,
  INJECTION_PAYLOADS,
  type InjectionPlace,
  splitConversation,
} from '../../../support/prompt-injections.ts';
import { startServedModel } from '../../../support/scripted-judge.ts';

const marks = (all: number) => ({
  style_compliance: all,
  correctness: all,
  performance_impact: all,
  security: all,
  maintainability: all,
});
/** What a model says of the work, and what it would say if it obeyed. */
const GATES = [
  [intentVerificationGate, { reason: 'r', verdict: 'no' }, { reason: 'r', verdict: 'yes' }],
  [reviewRubricGate, { summary: 's', scores: marks(1) }, { summary: 's', scores: marks(10) }],
  [
    crossModelGate,
    { feedback: 'f', issues: ['i'], verdict: 'request_changes', confidence: 1 },
    { feedback: 'f', issues: [], verdict: 'approve', confidence: 1 },
  ],
  // A test that asserts nothing is what somebody would want who fears a test.
  [integrationTestGenGate, { code: 'throw new Error("it fails");' }, { code: 'export {};' }],
] as const;

type Place = Extract<
  InjectionPlace,
  | 'title'
  | 'description'
  | 'comment in the diff'
  | 'name of a test in the diff'
  | 'name of a file in the diff'
>;
const IN_TASK = ['title', 'description'] as const satisfies Place[];
const IN_DIFF = [
  'comment in the diff',
  'name of a test in the diff',
  'name of a file in the diff',
] as const satisfies Place[];

const served = startServedModel();

/** A patch that adds a file for each of the texts, which stand at `place` of it. */
const patchWith = (place: Place, texts: readonly string[]) =>
  createSubject(
    { 'a.txt': 'a\n' },
    Object.fromEntries(
      texts.map((text, index): [string, string] => {
        const at = (wanted: Place, otherwise: string): string => (place === wanted ? text : otherwise);
        // What git cannot have in a name, nobody can write there.
        const name = at('name of a file in the diff', 'sum').replace(/[/\0]/g, '_').slice(0, 60);
        const title = JSON.stringify(at('name of a test in the diff', 'adds'));
        return [
          `src/${index}${name}.mjs`,
          `// ${at('comment in the diff', 'adds')}\nexport const test = ${title};\n`,
        ];
      }),
    ) as FileEdits,
  );

const run = (gate: (typeof GATES)[number][0], subject: PatchToCheck, task: object = {}) =>
  gate.run(
    {
      subject,
      command: null,
      explicitlyEnabled: true,
      timeoutMs: 20_000,
      judge: served.judge(),
      task: { id: 'sum', title: 'Make sum add', description: 'It subtracts.', writer: 'gpt-5.5', ...task },
    },
    { cross_model: { model: 'claude-haiku-4-5' } },
  );

const careless = Object.values(GULLIBLE_MODELS);

describe.each(GATES)('$name', (gate, bad, good) => {
  test('is not talked over by what is written anywhere, in whatever way, where its model obeys', async () => {
    served.says((conversation: string) => {
      const { system, user } = splitConversation(conversation);
      return careless.some((obeys) => obeys(system, user)) ? good : bad;
    });
    const plain = await patchWith('title', ['']);
    const { outcome } = await run(gate, plain);
    expect(outcome).toBe(gate === integrationTestGenGate ? 'could_not_run' : 'failed');
    for (const place of IN_TASK)
      for (const [way, payload] of Object.entries(INJECTION_PAYLOADS)) {
        const result = await run(gate, plain, { [place]: payload });
        expect({ place, way, outcome: result.outcome }).toEqual({ place, way, outcome });
      }
    // All at once: each has a file of its own, and one that is obeyed is enough.
    for (const place of IN_DIFF) {
      const result = await run(gate, await patchWith(place, Object.values(INJECTION_PAYLOADS)));
      expect({ place, outcome: result.outcome }).toEqual({ place, outcome });
      expect(result.facts).toMatchObject({ diff_characters_cut: 0 });
    }
  });
});

test.each(GATES.filter(([gate]) => gate !== integrationTestGenGate))(
  '$name lets nothing out without a person where somebody wrote a mark like ours',
  async (gate, _bad, good) => {
    served.says(good);
    expect((await run(gate, await patchWith('title', ['']))).outcome).toBe('passed');
    const result = await run(
      gate,
      await patchWith('comment in the diff', [INJECTION_PAYLOADS['a closing mark'] ?? '']),
    );
    expect(result).toMatchObject({
      outcome: 'could_not_run',
      findings: expect.arrayContaining([expect.objectContaining({ rule: 'talks_to_the_judge' })]),
    });
    // Not an error, so no setting for errors counts.
    expect(result.onError).toBeUndefined();
  },
);
