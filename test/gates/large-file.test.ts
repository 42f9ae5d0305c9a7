import { expect, test } from 'vitest';
import { largeFileGate } from '../../gates/gates/large-file.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';

const lines = (count: number): string => 'x\n'.repeat(count);
const binary = (bytes: number): Buffer => Buffer.alloc(bytes, 1);

test.each<[string, FileContents, FileEdits, string[]]>([
  ['a file of 500 lines is not large', {}, { 'a.ts': lines(500) }, []],
  ['one of 501 is', {}, { 'a.ts': lines(501) }, ['a.ts large_file: has 501 lines']],
  [
    'the last line counts without its line break',
    {},
    { 'a.ts': `${lines(500)}y` },
    ['a.ts large_file: has 501 lines'],
  ],
  [
    'one that grows over the limit says what it had',
    { 'a.ts': lines(499) },
    { 'a.ts': lines(502) },
    ['a.ts large_file: has 502 lines, had 499'],
  ],
  [
    'one that was large before is told from those',
    { 'a.ts': lines(600) },
    { 'a.ts': lines(590) },
    ['a.ts large_file_before: has 590 lines, had 600'],
  ],
  [
    'a binary counts by its bytes',
    {},
    { 'a.bin': binary(1_048_577), 'b.bin': binary(1_048_576) },
    ['a.bin large_file: has 1048577 bytes'],
  ],
  [
    'a text of few lines counts by its bytes too',
    { 'b.js': 'x'.repeat(2_000_000) },
    { 'a.js': 'x'.repeat(1_048_577), 'b.js': 'x'.repeat(1_999_999) },
    ['a.js large_file: has 1048577 bytes', 'b.js large_file_before: has 1999999 bytes, had 2000000'],
  ],
  [
    'what tools write and read is not counted',
    {},
    { 'package-lock.json': lines(9_000), 'x/go.sum': lines(600) },
    [],
  ],
  ['deleted files are not either', { 'a.ts': lines(900) }, { 'a.ts': null }, []],
])('%s', async (_, base, edits, found) => {
  const result = await runGate(largeFileGate, base, edits);
  // Reported, and never a reason to block, whatever a pipeline says.
  expect(result.outcome).toBe('passed');
  expect(result.findings.map(({ file, rule, message }) => `${file} ${rule}: ${message}`)).toEqual(found);
});

test('both limits can be set', async () => {
  const settings = { large_file_threshold: 2, large_file_bytes: 10 };
  const result = await runGate(
    largeFileGate,
    {},
    { 'a.ts': lines(3), 'b.bin': binary(11), 'c.ts': lines(2) },
    { settings },
  );
  expect(result.findings.map(({ file }) => file)).toEqual(['a.ts', 'b.bin']);
  expect(result.detail).toBe('2 of 3 files over 2 lines or 10 bytes');
});
