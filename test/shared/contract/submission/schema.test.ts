import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type * as z from 'zod';
import { ReportProgressBody } from '../../../../shared/api/report-schemas.ts';
import { GitRef } from '../../../../shared/contract/repository/git-ref.ts';
import { TaskSubmission } from '../../../../shared/contract/submission/schema.ts';
import { CompletionSignal } from '../../../../shared/contract/submission/signals.ts';
import { StorableNumber } from '../../../../shared/lib/stored-number.ts';

const VALID = { title: 'Fix', repository: 'https://example.test/r.git' };
const refused = (schema: z.ZodType, value: unknown): string[] => {
  const result = schema.safeParse(value);
  return result.success ? [] : result.error.issues.map((issue) => issue.path.join('/'));
};

describe('numbers that are stored', () => {
  test.each([1e-200, -1e-131, 5e-324, 1e126, -1e300, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY])(
    '%d, which the table cannot hold, is refused by the schema',
    (value) => expect(StorableNumber.safeParse(value).success).toBe(false),
  );

  test.each([0, -0, 1e-130, 0.1, -273.15, 2 ** 53 - 1])('%d is taken', (value) =>
    expect(StorableNumber.parse(value)).toBe(value),
  );

  test('of a budget and of progress are among them', () => {
    expect(refused(TaskSubmission, { ...VALID, budget: { max_cost_usd: 1e-200 } })).toEqual([
      'budget/max_cost_usd',
    ]);
    expect(refused(ReportProgressBody, { message: 'x', percent: 1e-200 })).toEqual(['percent']);
    expect(refused(TaskSubmission, { ...VALID, estimated_minutes: 1e-200 })).toEqual(['estimated_minutes']);
  });
});

test('the task file that the seed shows is taken, its estimate too', () => {
  const { estimated_minutes } = TaskSubmission.parse({
    id: 'TSK-042',
    title: 'Implement hybrid retrieval with BM25 fallback',
    role: 'backend',
    priority: 1,
    scope: 'medium',
    complexity: 'high',
    estimated_minutes: 30,
    depends_on: ['TSK-040'],
    completion_signals: [
      { type: 'path_exists', path: 'src/retrieval/bm25.py' },
      { type: 'test_passes', command: 'pytest tests/test_bm25.py' },
    ],
    files: ['src/retrieval/bm25.py', 'tests/test_bm25.py'],
    repository: VALID.repository,
  });
  expect(estimated_minutes).toBe(30);
});

test.each([
  { type: 'path_exists', path: 'a', value: 'b' },
  { type: 'glob_exists', pattern: 'a', value: 'b' },
  { type: 'test_passes', command: 'a', value: 'b' },
  { type: 'file_contains', path: 'a', contains: 'b', value: 'c :: d' },
])('%j, which says two things, is refused and not read as one of them', (signal) => {
  expect(CompletionSignal.safeParse(signal).error?.issues[0]).toMatchObject({
    code: 'unrecognized_keys',
    keys: ['value'],
  });
});

describe('a ref', () => {
  test.each(['main', 'feature/a-b_c', 'v1.2.3', 'a@b', 'é', 'refs/heads/x#1', 'a{b}', '日本'])(
    'may be %s',
    (ref) => expect(GitRef.parse(ref)).toBe(ref),
  );

  test('has no blank, no control character and nothing that git reads as an operator, wherever it stands', () => {
    const bad = fc.oneof(
      fc.constantFrom(...' \t\n~^:?*[\\\u00a0\u2028\ufeff', '..', '@{'),
      fc.integer({ min: 0, max: 0x20 }).map((code) => String.fromCharCode(code)),
      fc.integer({ min: 0x7f, max: 0xa0 }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(fc.string(), bad, fc.string(), (before, piece, after) => {
        expect(GitRef.safeParse(`a${before}${piece}${after}`).success).toBe(false);
      }),
    );
  });
});

test.each([
  ['an agent that there is none of', { kind: 'aider' }, 'adapter/kind'],
  ['no kind at all', {}, 'adapter/kind'],
  ['a field of another agent', { kind: 'codex', max_turns: 3 }, 'adapter'],
  ['a command without a program', { kind: 'command', argv: [] }, 'adapter/argv'],
])('an adapter of %s is refused by its field', (_what, adapter, path) => {
  expect(refused(TaskSubmission, { ...VALID, adapter })).toEqual([path]);
});
