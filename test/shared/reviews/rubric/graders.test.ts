import { describe, expect, it } from 'vitest';
import { createVerificationResult } from '../../../../shared/contract/rubric/verification-result.ts';
import { VerificationRubric } from '../../../../shared/contract/rubric/verification-rubric.ts';
import {
  createProbePerCriterion,
  probesFromAnswer,
  truncateCriteria,
} from '../../../../shared/reviews/reviewers/criteria-decomposition.ts';
import {
  deriveGradingResult,
  describeGradingFault,
  gradingAnswerFault,
  type RubricGradingAnswer,
} from '../../../../shared/reviews/reviewers/rubric-grading.ts';
import { findBuiltinRubric } from '../../../../shared/reviews/rubric/builtin-rubrics.ts';
import type { GradingInput } from '../../../../shared/reviews/rubric/grading.ts';
import { createAgentHandoff } from '../../../../shared/reviews/rubric/handoff.ts';
import { gradeByTextMatch } from '../../../../shared/reviews/rubric/heuristic-grader.ts';
import { FIXED_NOW } from '../../../support/builders.ts';

const RUBRIC = VerificationRubric.parse({
  name: 'own',
  criteria: [
    { name: 'adds', description: 'd', weight: 0.5, grade_type: 'score' },
    { name: 'clear', description: 'd', weight: 0.5, grade_type: 'score' },
  ],
});
const handoff = {
  created_at: FIXED_NOW.toISOString(),
  from_agent_id: 'gina',
  to_agent_id: 'eve',
  from_stage: 'work',
  to_stage: 'verify',
};
const work = (fields: Partial<GradingInput> & { payload?: Record<string, unknown> } = {}): GradingInput => ({
  artifact: createAgentHandoff({ ...handoff, payload: (fields.payload ?? {}) as Record<string, never> }),
  rubric: fields.rubric ?? RUBRIC,
  probes: fields.probes ?? [],
  generator_agent_id: 'gina',
  evaluator_agent_id: 'eve',
  at: FIXED_NOW,
});
const probes = (...criteria: string[]) =>
  criteria.map((source_criterion, index) => ({ id: `t-probe-${index}`, probe_text: 'p?', source_criterion }));

describe('what is handed over, and what comes back', () => {
  it('is refused where somebody hands work to themselves, and where they grade their own', () => {
    expect(() => createAgentHandoff({ ...handoff, to_agent_id: 'gina' })).toThrow(
      expect.objectContaining({ code: 'self_review' }),
    );
    expect(() =>
      createVerificationResult({
        verdict: 'pass',
        confidence: 1,
        per_criterion_grades: {},
        evaluator_agent_id: 'gina',
        generator_agent_id: 'gina',
        rubric_name: 'own',
        timestamp: FIXED_NOW.toISOString(),
      }),
    ).toThrow(expect.objectContaining({ code: 'self_review' }));
  });

  it('can be changed by nobody, neither by who gave it nor by who has it', () => {
    const payload = { inner: { list: [1] } };
    const made = createAgentHandoff({ ...handoff, payload });
    payload.inner.list.push(2);
    expect(made.payload).toEqual({ inner: { list: [1] } });
    expect(() => (made.payload['inner'] as { list: number[] }).list.push(3)).toThrow(TypeError);
  });

  it.each([
    ['no stage', { from_stage: ' ' }],
    ['what JSON cannot say', { payload: { a: Number.NaN } }],
    ['a reference without words', { artifact_refs: [''] }],
    ['a field that is not known', { colour: 'red' }],
  ])('is refused with %s', (_what, fields) => {
    expect(() => createAgentHandoff({ ...handoff, ...fields } as never)).toThrow(
      expect.objectContaining({ code: 'invalid' }),
    );
  });
});

describe('the heuristic grader, row by row', () => {
  const text = (found: number, of: number) => {
    const names = Array.from({ length: of }, (_, index) => `criterion ${String.fromCodePoint(97 + index)};`);
    return work({
      payload: { diff: names.slice(0, found).join(' ').toUpperCase() },
      probes: probes(...names),
    });
  };
  it.each([
    [0, 10, 'refer', 0.1, 0.3],
    [4, 10, 'refer', 0.5, 0.3],
    [5, 10, 'refer', 0.6, 0.8],
    [6, 10, 'pass', 0.7, 0.8],
    [8, 10, 'pass', 0.9, 0.8],
    [10, 10, 'pass', 0.9, 0.8],
  ])('%d of %d probes: %s at %d, each criterion graded %d', (found, of, verdict, confidence, grade) => {
    const result = gradeByTextMatch(text(found, of));
    expect(result).toMatchObject({ verdict, per_criterion_grades: { adds: grade, clear: grade } });
    expect(result.confidence).toBeCloseTo(confidence, 12);
    expect(result.findings).toEqual([`${found} of ${of} probes were found`]);
  });

  it('fails nothing at a rubric’s usual confidence, and does where a rubric wants none', () => {
    const { artifact, probes: all } = text(4, 10);
    expect(
      gradeByTextMatch({ ...work({ probes: all }), artifact, rubric: { ...RUBRIC, min_confidence: 0 } }),
    ).toMatchObject({
      verdict: 'fail',
      per_criterion_grades: { adds: 0.3, clear: 0.3 },
    });
  });

  it('asks a person where there are no probes, with no grade at all', () => {
    expect(gradeByTextMatch(work())).toMatchObject({
      verdict: 'refer',
      confidence: 0,
      per_criterion_grades: { adds: 0, clear: 0 },
      findings: [expect.any(String)],
    });
  });

  it('looks into values and not into keys, and, unlike the seed’s source, at other values as JSON', () => {
    const found = (payload: Record<string, unknown>, criterion: string) =>
      gradeByTextMatch(work({ payload, probes: probes(criterion) })).verdict;
    expect(found({ needle: 'hay' }, 'needle')).toBe('refer');
    expect(found({ a: { deep: ['needle'] } }, 'needle')).toBe('pass');
    expect(found({ a: true }, 'true')).toBe('pass');
  });
});

const answer = (fields: Partial<RubricGradingAnswer> = {}): RubricGradingAnswer => ({
  findings: ['a.js adds'],
  per_criterion_grades: [
    { criterion: 'adds', grade: 1 },
    { criterion: 'clear', grade: 0.5 },
  ],
  verdict: 'pass',
  confidence: 0.9,
  ...fields,
});

describe('what a model answers as a grader', () => {
  it.each([
    [
      'grades a criterion that nobody asked for',
      { per_criterion_grades: [{ criterion: 'wit', grade: 1 }] },
      '"wit", which is no criterion',
    ],
    [
      'grades one twice',
      { per_criterion_grades: [...answer().per_criterion_grades, { criterion: 'adds', grade: 1 }] },
      'grades adds twice',
    ],
    ['grades one above 1', { per_criterion_grades: [{ criterion: 'adds', grade: 1.1 }] }, 'none of 0 to 1'],
    ['leaves one out', { per_criterion_grades: [{ criterion: 'adds', grade: 1 }] }, 'does not grade clear'],
    ['is surer than sure', { confidence: 1.2 }, 'confidence is none of 0 to 1'],
    ['has a finding without words', { findings: [' '] }, 'finding without words'],
  ])('is for a person, with no grade, where it %s', (_what, fields, words) => {
    const fault = gradingAnswerFault(answer(fields), RUBRIC);
    expect(fault && describeGradingFault(fault)).toContain(words);
    expect(deriveGradingResult(answer(fields), work(), null)).toMatchObject({
      verdict: 'refer',
      confidence: 0,
      per_criterion_grades: { adds: 0, clear: 0 },
      findings: [expect.stringContaining(words)],
    });
  });

  it.each([
    ['pass', 0.7, null, 'pass'],
    ['pass', 0.69, null, 'refer'],
    ['fail', 0.69, null, 'refer'],
    ['fail', 0.7, null, 'fail'],
    ['refer', 0.9, null, 'refer'],
    ['pass', 0.8, 0.9, 'refer'],
    ['pass', 0.6, 0.1, 'refer'],
  ] as const)('says %s at %d with an override of %s: %s', (verdict, confidence, override, expected) => {
    const result = deriveGradingResult(answer({ verdict, confidence }), work(), override);
    expect(result.verdict).toBe(expected);
    expect(result.per_criterion_grades).toEqual({ adds: 1, clear: 0.5 });
  });
});

const decomposed = (max_probes_per_criterion: number) => ({
  criteria: ['a', 'b'],
  taskId: 't',
  of: { max_probes_per_criterion },
});
const probe = (source_criterion_index: number, probe_text = 'Is it so?') => ({
  source_criterion_index,
  probe_text,
});

describe('criteria that are taken apart', () => {
  it('become one probe each without a model', () => {
    expect(createProbePerCriterion(['it adds', 'it is clear'], 't')).toEqual([
      expect.objectContaining({ id: 't-probe-0', source_criterion: 'it adds' }),
      expect.objectContaining({ id: 't-probe-1', source_criterion: 'it is clear' }),
    ]);
    expect(createProbePerCriterion([], 't')).toEqual([]);
  });

  it('keep probes that can be used, numbered by us, and drop what is out of range, blank or too much', () => {
    const given = {
      probes: [
        probe(0, ' one '),
        probe(7),
        probe(0.5),
        probe(1, '  '),
        probe(0),
        probe(0, 'third'),
        probe(1),
      ],
    };
    expect(probesFromAnswer(given, decomposed(2))).toEqual([
      { id: 't-probe-0', probe_text: 'one', source_criterion: 'a' },
      { id: 't-probe-1', probe_text: 'Is it so?', source_criterion: 'a' },
      { id: 't-probe-2', probe_text: 'Is it so?', source_criterion: 'b' },
    ]);
  });

  it.each([
    ['without a probe that can be used', [probe(9)], 'no probe that can be used'],
    ['with a criterion that has no probe', [probe(0)], 'no probe was given for: b'],
  ])('are an unusable answer %s', (_what, given, words) => {
    expect(probesFromAnswer({ probes: given }, decomposed(5))).toEqual({
      code: 'unreadable_answer',
      outcome: 'could_not_run',
      why: expect.stringContaining(words),
    });
  });

  it('are cut to their share, never below 16 characters, and refused where that is too much', () => {
    const long = truncateCriteria(['x'.repeat(12_000), 'short one, as it is', 'y'.repeat(6_000)]);
    expect(long?.join('').length).toBeLessThanOrEqual(8_000);
    expect(Math.min(...(long ?? []).map((each) => each.length))).toBeGreaterThanOrEqual(16);
    expect(truncateCriteria(Array.from({ length: 600 }, () => 'x'.repeat(100)))).toBeNull();
  });
});

describe('builtin rubrics', () => {
  it('has the seed’s rubrics to grade by', () =>
    expect(findBuiltinRubric('default-task')?.criteria).toHaveLength(3));
});
