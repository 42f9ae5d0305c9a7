import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { readChangedBaseTestFiles } from '../../../../../gates/tests/experiments/trees/changed-tests.ts';
import { createSubject } from '../../../../support/patch-fixture.ts';

const asks = (name: string, value: number): string =>
  `#[test]\nfn ${name}() {\n    assert_eq!(sums::add(${value}, 2), ${value + 2});\n}\n`;
const BASE = {
  'Cargo.toml': '[package]\nname = "sums"\nversion = "0.1.0"\nedition = "2021"\n',
  'src/lib.rs': 'pub fn add(a: i32, b: i32) -> i32 {\n    a + b\n}\n',
  'tests/one.rs': asks('one', 1),
  'tests/two.rs': asks('two', 2),
};

test('the tests of the base run without what is new beside them, as a crate that would need the modules they are no more', async () => {
  const subject = await createSubject(BASE, {
    'tests/one.rs': null,
    'tests/two.rs': null,
    'tests/all/main.rs': 'mod one;\nmod two;\n',
    'tests/all/one.rs': `${BASE['tests/one.rs']}\n${asks('ten', 10)}`,
    'tests/all/two.rs': `${BASE['tests/two.rs']}\n${asks('three', 3)}`,
  });
  const old = await readChangedBaseTestFiles(subject);
  const tree = await old?.baseTestsOnNewCode();
  const there = execFileSync(
    'git',
    ['--git-dir', subject.store.dir, 'ls-tree', '-r', '--name-only', tree ?? ''],
    { encoding: 'utf8' },
  );
  expect(there.trim().split('\n')).toEqual(Object.keys(BASE));
});
