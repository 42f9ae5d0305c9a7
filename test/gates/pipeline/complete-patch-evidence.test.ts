import { expect, test } from 'vitest';
import { buildCompletePatchEvidence } from '../../../gates/pipeline/complete-patch-evidence.ts';

const added = (...paths: readonly string[]) => paths.map((path) => ({ path, kind: 'added' as const }));
const TASK = { title: 'Fix the rounding of prices' };
const of = (changes: Parameters<typeof buildCompletePatchEvidence>[1]['changes'], more = {}) =>
  buildCompletePatchEvidence([], { changes, task: TASK, taskFiles: [], ...more });

test('a patch of new tests, scratch files and documents only needs review', () => {
  const evidence = of(added('replicate_bug.py', 'tests/test_foo.py', 'skipping.py.bak', 'NOTES.md'));
  expect(evidence).toMatchObject({ name: 'complete_patch', outcome: 'could_not_run', required: true });
  expect(evidence?.findings.map(({ file, message }) => `${file} ${message}`)).toEqual([
    'replicate_bug.py is a new scratch file or backup',
    'tests/test_foo.py is a new test or document',
    'skipping.py.bak is a new scratch file or backup',
    'NOTES.md is a new test or document',
  ]);
});

test.each([
  [
    'something else is changed',
    [...added('tests/test_foo.py'), { path: 'shop.py', kind: 'modified' as const }],
    {},
  ],
  ['new code is added', added('src/rounding.py'), {}],
  ['the task asks for tests', added('tests/test_foo.py'), { task: { title: 'Add tests for prices' } }],
  ['the task names the file', added('NOTES.md'), { taskFiles: ['NOTES.md'] }],
  ['nobody knows the task', added('tests/test_foo.py'), { task: null }],
])('a patch needs no review where %s', (_, changes, more) => {
  expect(of(changes, more)).toBeNull();
});
