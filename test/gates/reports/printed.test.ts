import { expect, test } from 'vitest';
import { findReportInOutput } from '../../../gates/reports/read-any-report.ts';

const UNITTEST = `test_label (tests.test_tax.TaxTest.test_label) ... ok
test_tax (tests.test_tax.TaxTest.test_tax)
A tenth is taken. ... FAIL
test_old (tests.test_tax.TaxTest) ... skipped 'not here'

======================================================================
FAIL: test_tax (tests.test_tax.TaxTest.test_tax)
----------------------------------------------------------------------
Ran 3 tests in 0.000s

FAILED (failures=1, skipped=1)
`;
const CARGO = `     Running unittests src/lib.rs (target/debug/deps/clock-1b2c)

running 2 tests
test tests::hours ... ok
test tests::late ... FAILED

test result: FAILED. 1 passed; 1 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s

   Doc-tests clock

running 1 test
test src/lib.rs - hours (line 3) ... ok

test result: ok. 1 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.10s
`;

test('the verbose output of unittest names every test, also with a description and of older versions', async () => {
  const { report } = await findReportInOutput(UNITTEST, 0, '');
  expect(report?.cases?.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'tests.test_tax.TaxTest.test_label passed',
    'tests.test_tax.TaxTest.test_tax failed',
    'tests.test_tax.TaxTest.test_old skipped',
  ]);
  expect(report?.findings).toHaveLength(1);
});

test('what cargo test prints names every test with its program', async () => {
  const { report } = await findReportInOutput(CARGO, 0, '');
  expect(report?.cases?.map(({ name, outcome }) => `${name} ${outcome}`)).toEqual([
    'src/lib.rs tests::hours passed',
    'src/lib.rs tests::late failed',
    'doc-tests of clock src/lib.rs - hours passed',
  ]);
});

test.each([
  ['unittest names fewer tests than it ran', UNITTEST.replace(/^test_label.*\n/m, '')],
  ['a program of Rust ended in the middle', CARGO.replace(/^test result: ok.*\n/m, '')],
  ['a program of Rust counts more than it names', CARGO.replace('test tests::hours ... ok\n', '')],
])('there is no report where %s', async (_, output) => {
  expect((await findReportInOutput(output, 0, '')).report).toBeNull();
});
