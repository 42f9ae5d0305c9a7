import { describe, expect, test } from 'vitest';
import {
  describeGateCondition,
  type GateCondition,
  GateConditionSetting,
  isGateConditionMet,
} from '../../gates/core/gate-conditions.ts';

const parse = (setting: unknown): GateCondition => GateConditionSetting.parse(setting);

describe('a condition', () => {
  test.each<[unknown, string[], boolean]>([
    ['always', [], true],
    ['any_changed', [], false],
    ['any_changed', ['README.md'], true],
    ['python_changed', ['a/b.py'], true],
    ['python_changed', ['a/b.pyx', 'py'], false],
    ["changed_files.any('.py')", ['b.py'], true],
    ['  changed_files.any( ".py" )  ', ['b.js'], false],
    ['code_changed', ['docs/guide.md', 'logo.svg', 'LICENSE', 'CHANGELOG'], false],
    ['code_changed', ['docs/guide.md', 'a.go'], true],
    ['code_changed', ['fixture.txt'], true],
    ['code_changed', ['Makefile'], true],
    ['tests_changed', ['tests/x.py'], true],
    ['tests_changed', ['src/test_x.py'], true],
    ['tests_changed', ['src/x_test.py'], true],
    ['tests_changed', ['src/x_test.go'], true],
    ['tests_changed', ['src/x.test.ts', 'a'], true],
    ['tests_changed', ['src/__tests__/x.js'], true],
    ['tests_changed', ['src/latest.js', 'src/contest.py', 'attestation/a.js'], false],
    ['deps_changed', ['requirements-dev.txt'], true],
    ['deps_changed', ['sub/package.json'], true],
    ['deps_changed', ['poetry.lock'], true],
    ['deps_changed', ['src/package.js'], false],
    ['deps_changed', ['requirements/dev.txt'], true],
    ['deps_changed', ['services/a/go.work'], true],
    ['deps_changed', ['Package.JSON'], true],
    ['tests_changed', ['src/test_a\nb.py'], true],
    ['code_changed', ['a.md\n'], true],
    ['changed: src/**/*.{py,js}', ['src/\n/a\r.py'], true],
    ['changed: src/**/*.{py,js}', ['src/caf\udce9.js'], true],
    ['changed: src/**', ['SRC/a'], true],
    [{ changed: ['src/**', '!src/gen/**'] }, ['src/gen/a'], false],
    ['changed: src/**, lib/*.js', ['lib/a.js'], true],
    ['changed: src/**, lib/*.js', ['lib/sub/a.js'], false],
    ['changed: **/*.yml', ['.github/workflows/a.yml'], true],
    [{ changed: ['src/**'] }, ['src/.hidden'], true],
    [{ changed: 'docs/**' }, ['src/a'], false],
  ])('%o on %o is %s', (setting, paths, expected) => {
    expect(isGateConditionMet(parse(setting), paths)).toBe(expected);
  });

  test.each([
    '',
    'never',
    'changed:',
    'changed: src/{a',
    { changed: '{1..9999}' },
    { changed: [] },
    { changed: 'a', more: 1 },
    7,
  ])('%o is refused', (setting) => {
    expect(GateConditionSetting.safeParse(setting).success).toBe(false);
  });

  test('is named as people write it', () => {
    expect(describeGateCondition(parse('changed: a,b'))).toBe('changed: a, b');
    expect(describeGateCondition(parse("changed_files.any('.py')"))).toBe('python_changed');
  });
});
