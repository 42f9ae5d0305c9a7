import { expect, it } from 'vitest';
import { findNamesInTask, selectBaseFiles } from '../../../../gates/tests/exam/select-base-files.ts';
import { createSubject } from '../../../support/patch-fixture.ts';

it('finds the names that a task writes as code', () => {
  expect(
    findNamesInTask('Make `price.total()` round; cartTotal and tax_rate stay. The sum is added.'),
  ).toEqual(['price', 'total', 'cartTotal', 'tax_rate']);
});

it('selects files that the task is about, their tests and how tests run, and nothing of the patch', async () => {
  const subject = await createSubject(
    {
      'package.json': '{"scripts":{"test":"node --test"}}',
      'src/price.js': 'export function cartTotal(items) {\n  return 0;\n}\n',
      'src/other.js': 'export function other() {\n  const secretDetail = 1;\n  return secretDetail;\n}\n',
      'test/price.test.js': "test('totals', () => {});\n",
      'test/other.test.js': "test('other', () => {});\n",
    },
    { 'src/price.js': 'export function cartTotal(items) {\n  return SOLUTION;\n}\n' },
  );
  const task = { text: 'Make `cartTotal` add the items.', files: [] };
  const pieces = await selectBaseFiles(subject.store, subject.base, task);
  expect(pieces.map(({ label }) => label)).toEqual([
    'files of the base',
    'file package.json',
    'file test/price.test.js',
    'file src/price.js',
    'public interfaces of other files',
  ]);
  const text = pieces.map((piece) => piece.text).join('\n');
  expect(text).toContain('export function other() {');
  expect(text).not.toContain('secretDetail');
  expect(text).not.toContain('SOLUTION');
});
