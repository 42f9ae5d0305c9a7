import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  type JudgeModel,
  JudgeModels,
  judgeModelFamily,
} from '../../../../shared/contract/models/judge-models.ts';
import { modelFamily } from '../../../../shared/contract/models/model-family.ts';
import {
  chooseReviewerFamily,
  chooseReviewerModels,
  modelsOfOtherFamilies,
} from '../../../../shared/reviews/engine/choose-models.ts';
import { decideReviewVotes, type Vote, VotingRules } from '../../../../shared/reviews/engine/votes.ts';
import { excerptDiffByWholeFiles, splitDiffByFile } from '../../../../shared/reviews/judging/diff-excerpt.ts';

const NAMES = [
  'claude-opus-5-5',
  'sonnet',
  'google/gemini-flash-1.5',
  'gpt-5-codex',
  'codex-mini',
  'o3',
  'qwen3-coder',
  'mistral-large',
  'meta/llama-4',
  '',
];
const model = (name: string): JudgeModel => ({ provider: 'bedrock', model: name });

test.each([
  ['claude-opus-5-5', 'anthropic'],
  ['sonnet', 'anthropic'],
  ['google/gemini-flash-1.5', 'google'],
  ['gpt-5-codex', 'openai'],
  ['o3', 'openai'],
  ['o4-mini', 'openai'],
  ['qwen3-coder', 'alibaba'],
  ['mistral-large', 'mistral'],
  ['meta/llama-4', 'meta'],
  ['', ''],
])('the model "%s" is of the family "%s", and the mapping names another', (name, family) => {
  expect(modelFamily(name)).toBe(family);
  expect(chooseReviewerFamily(name)).not.toBe(family);
});

describe('a reviewer', () => {
  it('of the family of the writer is not chosen, also where it is named', () => {
    for (const own of [model('us.anthropic.claude-haiku'), { ...model('own'), family: 'anthropic' }])
      for (const named of [undefined, own.model])
        expect(
          chooseReviewerModels(
            { purpose: 'cross_model', family: 'known_other' },
            { models: { cross_model: [own] }, writer: 'opus', budgetRefusal: null, named },
          ),
        ).toEqual({ absence: { code: 'same_family', model: own.model, writer: 'opus' } });
  });

  it('is never of that family, whatever is configured; nobody else is left out, and the mapping comes first', () => {
    const names = fc.constantFrom(...NAMES);
    fc.assert(
      fc.property(fc.array(names, { maxLength: 6 }), names, (configured, writer) => {
        const families = modelsOfOtherFamilies(configured.map(model), writer).map((each) =>
          judgeModelFamily(each),
        );
        expect(families).not.toContain(modelFamily(writer));
        expect(families).toHaveLength(
          configured.filter((each) => modelFamily(each) !== modelFamily(writer)).length,
        );
        const first = chooseReviewerFamily(writer);
        if (families.includes(first)) expect(families[0]).toBe(first);
      }),
    );
  });

  it('may be one model or a list, which is read the same again', () => {
    const one = JudgeModels.parse({ cross_model: model('o3') });
    expect(one).toEqual({ cross_model: [model('o3')] });
    expect(JudgeModels.parse(one)).toEqual(one);
    expect(JudgeModels.safeParse({ cross_model: [] }).success).toBe(false);
  });
});

describe('votes', () => {
  const vote = fc.oneof(
    fc.constant(null),
    fc.record({ approves: fc.boolean(), confidence: fc.double({ min: 0, max: 1, noNaN: true }) }),
  );
  const rules = fc
    .record({
      strategy: fc.constantFrom('majority', 'quorum', 'weighted', 'unanimous'),
      quorum: fc.integer({ min: 1, max: 5 }),
      tie_break: fc.constantFrom('reject', 'accept', 'escalate'),
      abstention_threshold: fc.constantFrom(0, 0.3, 0.9),
    })
    .map((each) => VotingRules.parse(each));

  it('approve nothing that nobody has approved, and an abstention never helps', () => {
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 6 }), rules, (votes, how) => {
        const count = decideReviewVotes(votes, how);
        expect(count.approvals + count.rejections + count.abstentions).toBe(votes.length);
        if (count.decision === 'approve') expect(count.approvals).toBeGreaterThan(0);
        if (count.approvals + count.rejections === 0) expect(count.decision).toBe('nobody');
        const without = votes.filter((each) => each !== null && each.confidence >= how.abstention_threshold);
        if (count.decision === 'approve') expect(decideReviewVotes(without, how).decision).toBe('approve');
      }),
      { numRuns: 500 },
    );
  });

  it('get no worse by one more approval, and no better by one more rejection', () => {
    const worth = { reject: 0, nobody: 1, undecided: 1, approve: 2 } as const;
    fc.assert(
      fc.property(fc.array(vote, { maxLength: 6 }), rules, (votes, how) => {
        const of = (more: Vote[]): number => worth[decideReviewVotes([...votes, ...more], how).decision];
        const before = of([]);
        expect(of([{ approves: true, confidence: 1 }])).toBeGreaterThanOrEqual(before);
        expect(of([{ approves: false, confidence: 1 }])).toBeLessThanOrEqual(before);
      }),
      { numRuns: 500 },
    );
  });

  test.each<[Partial<VotingRules>, string, string]>([
    [{}, '+', 'approve'],
    [{}, '-', 'reject'],
    [{}, '0', 'nobody'],
    [{ quorum: 2 }, '+-0', 'undecided'],
    [{ quorum: 2 }, '+--', 'reject'],
    [{ strategy: 'majority' }, '+-', 'reject'],
    [{ strategy: 'majority', tie_break: 'accept' }, '+-', 'approve'],
    [{ strategy: 'majority', tie_break: 'escalate' }, '+-', 'undecided'],
    [{ strategy: 'majority' }, '++-', 'approve'],
    [{ strategy: 'unanimous' }, '+0+', 'approve'],
    [{ strategy: 'unanimous' }, '++-', 'reject'],
  ])('with %j of %s come to %s', (how, words, decision) => {
    const votes = [...words].map((word) =>
      word === '0' ? null : { approves: word === '+', confidence: 0.9 },
    );
    expect(decideReviewVotes(votes, VotingRules.parse(how)).decision).toBe(decision);
  });
});

it('a diff that is too long is cut between files, and each file is there whole or named', () => {
  const parts = fc
    .array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 })
    .map((lengths) =>
      lengths.map((length, index) => `diff --git a/f${index} b/f${index}\n${'+'.repeat(length)}\n`),
    );
  fc.assert(
    fc.property(parts, fc.integer({ min: 50, max: 1_500 }), (files, limit) => {
      expect(splitDiffByFile(files.join(''))).toEqual(files);
      const { text, omitted_chars, leftOut } = excerptDiffByWholeFiles(files, limit);
      if (leftOut.length === 0 && omitted_chars > 0) return;
      const whole = files.filter((file) => text.includes(file));
      expect(whole.join('').length).toBeLessThanOrEqual(limit);
      expect(whole.length + leftOut.length).toBe(files.length);
      for (const name of leftOut) expect(text).toContain(name);
      expect(omitted_chars).toBe(files.join('').length - whole.join('').length);
    }),
  );
});
