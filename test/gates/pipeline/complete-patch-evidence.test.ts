import { expect, test } from 'vitest';
import { buildPatchCompletenessEvidence } from '../../../gates/pipeline/complete-patch-evidence.ts';

const added = (...paths: readonly string[]) => paths.map((path) => ({ path, kind: 'added' as const }));
type PatchScope = Parameters<typeof buildPatchCompletenessEvidence>[1];
const TASK = { files: [], expectedChanges: [], signals: [], role: 'backend' } as const;
const of = (changes: PatchScope['changes'], asked: Partial<PatchScope['task']> = {}) =>
  buildPatchCompletenessEvidence([], { changes, task: { ...TASK, ...asked } });

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
  ['the task expects tests to change', added('tests/test_foo.py'), { expectedChanges: ['tests_change'] }],
  ['a document comes with tests that are asked for', added('a.md', 'tests/test_a.py'), { role: 'qa' }],
  ['the role is to write documents', added('docs/notes.md'), { role: 'docs' }],
  ['the task names the file', added('NOTES.md'), { files: ['NOTES.md'] }],
  ['the task names the folder', added('docs/a/notes.md'), { files: ['docs/'] }],
  ['a signal names the file', added('NOTES.md'), { signals: [{ type: 'path_exists', path: 'NOTES.md' }] }],
  [
    'a signal names such files',
    added('test/receipt-2.test.js'),
    { signals: [{ type: 'glob_exists', pattern: 'test/receipt*.test.js' }] },
  ],
] satisfies readonly (readonly [string, PatchScope['changes'], Partial<PatchScope['task']>])[])(
  'a patch needs no review where %s',
  (_, changes, asked) => {
    expect(of(changes, asked)).toBeNull();
  },
);

test.each([
  ['tests are expected to change', added('NOTES.md'), { expectedChanges: ['tests_change'] }],
  ['the role is to write documents', added('tests/test_foo.py'), { role: 'docs' }],
  ['a signal names another file', added('NOTES.md'), { signals: [{ type: 'path_exists', path: 'a.md' }] }],
] satisfies readonly (readonly [string, PatchScope['changes'], Partial<PatchScope['task']>])[])(
  'a patch of other new files needs review where %s',
  (_, changes, asked) => {
    expect(of(changes, asked)).not.toBeNull();
  },
);

test('a patch needs no review where no task is known', () => {
  expect(buildPatchCompletenessEvidence([], { changes: added('tests/test_foo.py'), task: null })).toBeNull();
});
