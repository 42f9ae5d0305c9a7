import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { countTests, listFailures } from './vitest-report.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-report-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const passed = { status: 'passed', assertionResults: [{ status: 'passed' }] };
const failed = { status: 'failed', assertionResults: [{ status: 'failed' }, { status: 'passed' }] };
const unloadable = { status: 'failed', assertionResults: [] };

test.each([
  [
    'all passed',
    { numPassedTests: 3, numFailedTests: 0, numPendingTests: 4, testResults: [passed] },
    0,
    { passed: 3, failed: 0, skipped: 4 },
  ],
  [
    'some failed',
    { numPassedTests: 2, numFailedTests: 1, numPendingTests: 4, testResults: [passed, failed] },
    1,
    { passed: 2, failed: 1, skipped: 4 },
  ],
  [
    'a file could not be loaded',
    { numPassedTests: 2, numFailedTests: 0, numPendingTests: 4, testResults: [passed, unloadable] },
    1,
    { passed: 2, failed: 1, skipped: 4 },
  ],
  [
    'an error outside of any test',
    { numPassedTests: 2, numFailedTests: 0, numPendingTests: 4, testResults: [passed] },
    1,
    { passed: 2, failed: 1, skipped: 4 },
  ],
  ['a report of something else', { hello: 1 }, 0, { passed: 0, failed: 1, skipped: 0 }],
])('%s', (_, report, exit, expected) => {
  const file = join(folder, 'report.json');
  writeFileSync(file, JSON.stringify(report));
  expect(countTests(file, exit)).toEqual(expected);
});

test('no report at all is a failure, even when the exit code is 0', () => {
  expect(countTests(join(folder, 'none.json'), 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});

test('what failed is said again, with the file and the beginning of why', () => {
  const file = join(folder, 'report.json');
  const message = Array.from({ length: 40 }, (_, line) => `line ${line}`).join('\n');
  writeFileSync(
    file,
    JSON.stringify({
      numPassedTests: 1,
      numFailedTests: 1,
      numPendingTests: 0,
      testResults: [
        {
          ...failed,
          name: 'a.test.ts',
          assertionResults: [
            { status: 'passed', fullName: 'it is fine' },
            { status: 'failed', fullName: 'it holds', failureMessages: [message] },
          ],
        },
        { ...unloadable, name: 'b.test.ts', message: 'no such module' },
      ],
    }),
  );
  expect(listFailures(file)).toEqual([
    expect.stringMatching(/^a\.test\.ts: it holds\nline 0\n(line \d+\n)*line 11$/),
    'b.test.ts\nno such module',
  ]);
  expect(listFailures(join(folder, 'none.json'))).toEqual([]);
});
