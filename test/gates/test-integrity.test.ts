import { describe, expect, test } from 'vitest';
import { testIntegrity } from '../../gates/gates/test-integrity.ts';
import { tolerancesOf } from '../../gates/rules/test-integrity/tolerances.ts';
import { weaknessesOf } from '../../gates/rules/test-integrity/weaknesses.ts';
import { casesOf } from '../../gates/rules/tests/cases.ts';
import { type Edits, runGate } from '../support/patch.ts';

const rules = (path: string, text: string): string[] =>
  weaknessesOf(path, text).map(({ rule, line }) => `${rule} ${line}`);

describe('a test is weak when it', () => {
  test.each([
    ['a.test.js', 'asserts true', '\nassert.ok(true);', 'assertion_trivial 2'],
    ['a.test.ts', 'expects a number to be itself', 'expect(1).toBe(1);', 'assertion_trivial 1'],
    ['a.test.js', 'compares a value with itself', 'assert.deepEqual(a.b, a.b);', 'assertion_trivial 1'],
    ['a.test.js', 'has a way out', 'assert.ok(f() || true);', 'assertion_trivial 1'],
    ['test_a.py', 'asserts True', 'def test_a():\n    assert True\n', 'assertion_trivial 2'],
    ['test_a.py', 'has a way out', 'assert f() == 1 or True', 'assertion_trivial 1'],
    ['test_a.py', 'asserts equality with itself', 'assert x.y == x.y\n', 'assertion_trivial 1'],
    ['a_test.go', 'asks what cannot be', 'if got != 1 && false {\n}', 'assertion_trivial 1'],
    ['tests/a.rs', 'asserts true', 'assert!(true);', 'assertion_trivial 1'],
    ['a.test.js', 'swallows', 'try { assert.equal(a, 1); } catch {}', 'assertion_swallowed 1'],
    [
      'a.test.js',
      'swallows a rejection',
      'await expect(f()).rejects.toThrow().catch(() => {});',
      'assertion_swallowed 1',
    ],
    [
      'test_a.py',
      'swallows',
      'try:\n    assert a == 1\nexcept (ValueError, Exception) as e:\n    print(e)\n',
      'assertion_swallowed 1',
    ],
    [
      'test_a.py',
      'suppresses',
      'with contextlib.suppress(AssertionError):\n    assert a\n',
      'assertion_swallowed 1',
    ],
    ['a_test.go', 'recovers', 'defer func() { recover() }()', 'assertion_swallowed 1'],
    [
      'a.test.js',
      'returns at once',
      "test('a', () => {\n  return;\n  assert(a);\n});",
      'test_leaves_early 1',
    ],
    ['test_a.py', 'returns at once', 'def test_a(self):\n    return\n    assert a\n', 'test_leaves_early 1'],
    ['a.test.js', 'asks where it runs', 'if (process.env.CI) return;', 'test_depends_on_environment 1'],
    [
      'test_a.py',
      'asks where it runs',
      'if os.environ.get("CI"):\n    return\n',
      'test_depends_on_environment 1',
    ],
    ['a.test.js', 'replaces an assertion', 'assert.equal = () => {};', 'runner_patched 1'],
    [
      'conftest.py',
      'hooks into the runner',
      'def pytest_runtest_makereport(item):\n    pass\n',
      'runner_patched 1',
    ],
    ['a_test.go', 'takes over the run', 'func TestMain(m *testing.M) {}', 'runner_patched 1'],
  ])('%s %s', (path, _, text, expected) => {
    expect(rules(path, text)).toContain(expected);
  });
});

test.each([
  ['a.test.js', 'try { assert.equal(a, 1); } finally { close(); }'],
  ['a.test.js', 'try { f(); } catch (error) { assert.match(error.message, /x/); }'],
  ['a.test.js', 'try { cleanUp(); } catch {}'],
  ['a.test.js', "assert.equal(f(1), f(1, true));\n// assert.ok(true)\nconst s = 'expect(true)';"],
  ['a.test.js', 'assert.equal(await f(), true);\nconst equal = (a, b) => a === b;'],
  ['test_a.py', 'with pytest.raises(ValueError):\n    f()\nassert a == b\n"""assert True"""\n'],
  ['test_a.py', 'try:\n    f()\nexcept ValueError:\n    pass\nelse:\n    assert False\n'],
  ['a_test.go', 'defer func() { if recover() == nil { t.Fatal("no panic") } }()'],
])('%s: nothing is weak in %o', (path, text) => {
  expect(rules(path, text)).toEqual([]);
});

test.each([
  ['a.test.js', 'expect(a).toBeCloseTo(b, 2); assert.ok(Math.abs(a - b) < 1e-6);', [0.005, 1e-6]],
  ['test_a.py', 'assert a == pytest.approx(b, rel=0.1)\nself.assertAlmostEqual(a, b, delta=2)', [0.1, 2]],
  ['a_test.go', 'assert.InDelta(t, a, b, 0.5)', [0.5]],
])('%s: tolerances of %o', (path, text, expected) => {
  expect(tolerancesOf(path, text)).toEqual(expected);
});

test.each([
  ['a.test.js', "test('a', f);\nit.each([1, 2])('b %i', () => {\n  g();\n});", ['a 1', 'b %i 2']],
  [
    'test_a.py',
    'class A:\n    @skip\n    def test_a(self):\n        f()\n\n    def test_b(self):\n        g()\n',
    ['test_a 2', 'test_b 6'],
  ],
  ['a_test.go', 'func TestA(t *testing.T) {\n}\nfunc helper() {}\n', ['TestA 1']],
  ['tests/a.rs', '#[test]\nfn adds() {\n  f();\n}\n', ['adds 1']],
])('%s: the cases of %o', (path, text, expected) => {
  expect(casesOf(path, text).map(({ name, line }) => `${name} ${line}`)).toEqual(expected);
});

test.each([
  ['a.test.js', 'try{'],
  ['a.test.js', 'assert('],
  ['a.test.js', "test('a',"],
  ['test_a.py', 'assert a or '],
  ['test_a.py', 'try:\n'],
  ['a_test.go', 'if a && '],
])('%s: a hostile text made of %o is read in linear time', (path, piece) => {
  const text = piece.repeat(Math.ceil(500_000 / piece.length));
  // Quadratic work on half a megabyte would not end within the time limit of a test.
  expect(weaknessesOf(path, text)).toBeInstanceOf(Array);
  expect(tolerancesOf(path, text)).toBeInstanceOf(Array);
});

describe('the gate', () => {
  const head = "const { test } = require('node:test');\nconst assert = require('node:assert');\n";
  const two = `${head}const { a } = require('../a.js');\ntest('one', () => assert.equal(a, 1));\ntest('two', () => assert.equal(a + 1, 2));\n`;
  const base = { 'a.js': 'exports.a = 1;\n', 'test/a.test.js': two };
  const look = async (edits: Edits, command: string | null = null) => {
    const result = await runGate(testIntegrity, base, edits, { context: { command } });
    return { ...result, rules: result.findings.map(({ rule }) => rule) };
  };

  test('counts on both sides', async () => {
    const result = await look({ 'test/a.test.js': two.replace("test('two'", "test.skip('two'") });
    expect(result).toMatchObject({
      outcome: 'failed',
      rules: ['test_skipped'],
      metadata: { cases_before: 2, cases_after: 1, skips_before: 0, skips_after: 1 },
    });
  });

  test('says which test is gone, and where it was', async () => {
    const { findings, outcome } = await look({ 'test/a.test.js': two.split('\n').slice(0, 4).join('\n') });
    expect(outcome).toBe('failed');
    expect(findings).toMatchObject([
      { file: 'test/a.test.js', line: 5, rule: 'test_removed', message: 'the test "two" is gone' },
    ]);
  });

  test('lets tests be renamed, moved and added', async () => {
    expect((await look({ 'test/a.test.js': two.replace("'two'", "'the other'") })).outcome).toBe('passed');
    expect((await look({ 'test/a.test.js': null, 'test/b.test.js': two })).outcome).toBe('passed');
    expect(
      (await look({ 'test/a.test.js': `${two}test('three', () => assert.equal(a, 1));\n` })).rules,
    ).toEqual([]);
  });

  test('runs the base version of what was taken away', async () => {
    const { outcome, rules: found } = await look(
      { 'a.js': 'exports.a = 2;\n', 'test/a.test.js': null },
      'node --test',
    );
    expect(outcome).toBe('failed');
    expect(found).toContain('base_tests_fail');
  });

  const looser = two.replace('a + 1, 2', 'a * 0, 0');
  test.each<[string, Edits, string, string[]]>([
    [
      'are blind',
      { 'a.js': 'exports.a = 2;\n', 'test/a.test.js': looser.replace('a, 1', 'a - a, 0') },
      'node --test --test-isolation=none',
      ['test_tells_no_difference'],
    ],
    [
      'see the difference',
      {
        'a.js': 'exports.a = 2;\n',
        'test/a.test.js': two.replace('a, 1', 'a, 2').replace('+ 1, 2', '+ 1, 3'),
      },
      'node --test',
      [],
    ],
    ['change while the code stays', { 'test/a.test.js': looser }, 'node --test', []],
  ])(
    'runs changed tests that disagree with their base version on the old code too: they %s',
    async (_, edits, command, expected) => {
      const { rules: found } = await look(edits, command);
      expect(found.filter((rule) => rule === 'test_tells_no_difference')).toEqual(expected);
    },
  );

  test('sees in a run what is left out, whatever the text says', async () => {
    const late = two.replace("test('two', () =>", "test('two', (c) => (c['sk' + 'ip'](), undefined) ??");
    expect((await look({ 'test/a.test.js': late }, 'node --test')).findings).toContainEqual(
      expect.objectContaining({
        rule: 'test_skipped',
        message: 'test > two: passes on the base, and is left out with the patch',
      }),
    );
  });

  test.each([
    ['nothing of the project', "import b from 'somewhere';", 'failed'],
    ['an alias', "import b from '@/b';", 'passed'],
    ['its own package', "import b from 'shop/b';", 'passed'],
    ['a module on a path that is set at run time', "import b from 'a';", 'passed'],
  ])('looks at what a new test imports: %s', async (_, line, outcome) => {
    const text = `${line}\nimport { test } from 'node:test';\nimport assert from 'node:assert';\ntest('b', () => assert.equal(b, 1));\n`;
    const result = await look({ 'package.json': '{"name":"shop"}', 'test/new.test.mjs': text });
    expect(result.outcome).toBe(outcome);
    expect(result.rules).toEqual(['test_without_subject']);
  });

  test.each<[string, Record<string, string>, string, string, string]>([
    ['in no folder, beside the source of its name', {}, 'tests/b.test.mjs', '../src/a.mjs', 'failed'],
    ['in the folder of the source of its name', {}, 'tests/deep/b.test.mjs', '../../src/a.mjs', 'passed'],
    [
      'in the folder of the source of its name, as it is called there',
      { 'src/deep/b.mjs': 'export const b = 1;\n' },
      'tests/deep/b.test.mjs',
      '../../src/a.mjs',
      'failed',
    ],
  ])('asks a new test for the code that it is named after: %s', async (_, more, path, from, outcome) => {
    const text = `import { a } from '${from}';\nimport { test } from 'node:test';\nimport assert from 'node:assert';\ntest('b', () => assert.equal(a, 1));\n`;
    const sources = { 'src/a.mjs': 'export const a = 1;\n', 'src/b.mjs': 'export const b = 1;\n' };
    const result = await look({ ...sources, ...more, [path]: text });
    expect(result.outcome).toBe(outcome);
  });

  test.each([
    [
      'that it asks for',
      'from a import make\n\n\n@pytest.fixture\ndef made():\n    return make()\n',
      'passed',
    ],
    [
      'under another name',
      'from a import make\n\n\n@pytest.fixture(scope="module", name="made")\ndef _made():\n    return make()\n',
      'passed',
    ],
    [
      'that it does not ask for',
      'from a import make\n\n\n@pytest.fixture\ndef other():\n    return make()\n',
      'failed',
    ],
    ['that is none', 'from a import make\n\n\ndef made():\n    return make()\n', 'failed'],
    ['without the code of the project', '\n\n@pytest.fixture\ndef made():\n    return 1\n', 'failed'],
  ])('follows a new test of Python into a fixture %s', async (_, fixture, outcome) => {
    const result = await look({
      'a.py': 'def make():\n    return 1\n',
      'tests/conftest.py': `import pytest\n${fixture}`,
      'tests/deep/test_made.py': 'def test_made(made):\n    assert made == 1\n',
    });
    expect(result.outcome).toBe(outcome);
  });

  test('follows a fixture that asks for one from further up', async () => {
    const fixture = (line: string): string => `import pytest\n${line}\n`;
    const result = await look({
      'a.py': 'def make():\n    return 1\n',
      'conftest.py': fixture('from a import make\n\n\n@pytest.fixture\ndef app():\n    return make()'),
      'tests/conftest.py': fixture('\n\n@pytest.fixture\ndef client(app):\n    return app'),
      'tests/test_a.py': 'def test_client(client):\n    assert client == 1\n',
    });
    expect(result.rules).toEqual([]);
  });

  test('takes an object that is called context for no runner', async () => {
    const text =
      "import { a } from '../src/a.mjs';\nimport { test } from 'node:test';\nimport assert from 'node:assert';\nconst context = { folder: '', isDeleted: () => false };\ntest('a', () => assert.equal(a, context.folder));\n";
    const result = await look({ 'src/a.mjs': "export const a = '';\n", 'tests/a.test.mjs': text });
    expect(result.rules).toEqual([]);
  });

  test('holds for a person what it cannot compare', async () => {
    const large = `${two}// ${'x'.repeat(3 * 1_048_576)}\n`;
    expect(await look({ 'test/a.test.js': large })).toMatchObject({
      outcome: 'inert',
      rules: ['test_not_readable'],
    });
  });

  test('says that it could not run the tests, when it could not', async () => {
    expect((await look({ 'test/a.test.js': `${two}\n` }, 'no-such-runner')).outcome).toBe('inert');
  });
});
