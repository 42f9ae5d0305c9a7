import { describe, expect, test } from 'vitest';
import { createConftestMerger } from '../../gates/rules/protect/conftest.ts';
import { findTamperingFindings } from '../../gates/rules/suppressions/code/tampering-findings.ts';

const rulesOf = async (path: string, after: string, before: string | null = null): Promise<string[]> =>
  (await findTamperingFindings([{ path, basePath: before === null ? null : path, before, after }])).map(
    ({ rule, severity }) => `${rule} ${severity}`,
  );

describe('code of JavaScript', () => {
  test.each([
    ["process['ex' + 'it'](0);", ['ends_process error']],
    ['const { exit } = process;\nexit();', ['ends_process error']],
    ['process.exit(1);', []],
    ['exports.a = () => { process.exit(0); };', ['ends_process warning']],
    ['function main() { process.exit(0); }\nmain();', []],
    ["process.on('SIGTERM', () => process.exit(0));", []],
    ["const a = require('assert');\na.equal = () => {};", ['runner_patched error']],
    ['for (const test of tests) test.failed = true;', []],
    ['const test = { failed: [] };\ntest.failed = [1];', []],
    ['const mark = (test) => { test.failed = true; };', []],
    ['test.only = () => {};', ['runner_patched error']],
    ["const test = require('node:test');\ntest.it = () => {};", ['runner_patched error']],
    ['const a = {};\na.equal = () => {};', []],
    ['if (!Array.prototype.at) Array.prototype.at = function () {};', ['runner_patched info']],
    ["const on = process.env['NODE_TEST_' + 'CONTEXT'];", ['detects_test_run error']],
    ['const { VITEST } = process.env;', ['detects_test_run error']],
    ["const known = ['VITEST', 'CI', 'HOME'];", []],
    ["exports.a = (argv = process.argv) => argv.includes('--dry-run');", []],
    ["exports.a = () => process.argv.some((each) => each.includes('vitest'));", ['detects_test_run error']],
    ['exports.a = (p) => p.catch(() => {});', ['error_swallowed warning']],
    [
      'exports.a = (t) => { try { return JSON.parse(t); } catch { return null; } };',
      ['error_swallowed info'],
    ],
    [
      "import { readFile } from 'node:fs/promises';\nexport const a = async (p) => { try { return (await readFile(p)).toString().trim(); } catch { return ''; } };",
      ['error_swallowed info'],
    ],
    [
      "import { stat } from 'node:fs/promises';\nexport const a = (p) => stat(p).catch(() => null);",
      ['error_swallowed info'],
    ],
    [
      'exports.a = (t) => { try { return new URL(t).host; } catch { return null; } };',
      ['error_swallowed info'],
    ],
    [
      'exports.a = (t) => { try { return price(JSON.parse(t)); } catch { return 0; } };',
      ['error_swallowed warning'],
    ],
    [
      'exports.a = (cart) => { try { return cart.total(); } catch { return 0; } };',
      ['error_swallowed warning'],
    ],
    [
      "const { total } = require('./cart.js');\nexports.a = (t) => { try { return total(t).toString(); } catch { return ''; } };",
      ['error_swallowed warning'],
    ],
    [
      "import fs from './fs.js';\nexport const a = (t) => { try { return fs.total(t); } catch { return 0; } };",
      ['error_swallowed warning'],
    ],
    ['exports.a = (t) => { try { return t.length / 0; } catch { return 0; } };', ['error_swallowed warning']],
    [
      'exports.a = async (d) => { try { await d.ping(); return true; } catch { return false; } };',
      ['error_swallowed info'],
    ],
    [
      'exports.a = async (d) => { try { return await d.ping(); } catch { return false; } };',
      ['error_swallowed warning'],
    ],
    ['exports.a = (p) => go(p).then(() => true).catch(() => false);', ['error_swallowed info']],
    ['exports.a = (p) => go(p).then(() => true, () => false);', ['error_swallowed info']],
    ['exports.a = (p) => go(p).then(() => false, () => true);', ['error_swallowed warning']],
    [
      "exports.a = (p) => { let v; try { v = total(p); } catch {} if (!v) throw new Error('none'); return v; };",
      ['error_swallowed info'],
    ],
    [
      'exports.a = (p) => { let v; try { v = total(p); } catch {} if (!v) return 0; return v; };',
      ['error_swallowed warning'],
    ],
    [
      "import { parse } from 'smol-toml';\nexport const a = (t) => { try { return parse(t).title; } catch { return null; } };",
      ['error_swallowed info'],
    ],
    [
      "import { parse } from '@/toml';\nexport const a = (t) => { try { return parse(t).title; } catch { return null; } };",
      ['error_swallowed warning'],
    ],
    [
      'exports.a = (t) => { try { return JSON.parse(t); } catch (e) { console.warn(e); return {}; } };',
      ['error_swallowed info'],
    ],
    ['exports.a = (p) => p.catch((error) => log(error, 1));', []],
    ['exports.a = (f) => f.unlink().catch(() => {});', ['error_swallowed info']],
    ['try { a(); } catch { b(); }', []],
    ['class A { asymmetricMatch() { return true; } }', ['equal_to_everything error']],
  ])('%s', async (text, rules) => {
    expect(await rulesOf('src/a.js', `${text}\n`)).toEqual(rules);
  });
});

describe('code of Python', () => {
  test.each([
    ['import os as o\n\no._exit(0)\n', ['ends_process error']],
    ['import sys\n\nsys.exit(1)\n', []],
    ['import sys\n\nif __name__ == "__main__":\n    sys.exit(0)\n', []],
    ['import unittest.case as u\n\nu.TestCase.assertEqual = lambda *a: None\n', ['runner_patched error']],
    ['class A:\n    def __eq__(self, other):\n        return True\n', ['equal_to_everything error']],
    ['class A:\n    def __eq__(self, other):\n        return self.a == other.a\n', []],
    [
      'import sys\n\n\ndef f():\n    return any("pytest" in m for m in sys.modules)\n',
      ['detects_test_run error'],
    ],
    ['import contextlib\n\nwith contextlib.suppress(Exception):\n    a()\n', ['error_swallowed warning']],
    ['import contextlib\n\nwith contextlib.suppress(KeyError):\n    a()\n', []],
    ['def f():\n    try:\n        return a()\n    finally:\n        return 0\n', ['error_swallowed warning']],
    [
      'def f():\n    try:\n        return a()\n    except Exception:\n        return dict()\n',
      ['error_swallowed warning'],
    ],
    ['def f():\n    try:\n        return a()\n    except Exception:\n        raise\n', []],
  ])('%s', async (text, rules) => {
    expect(await rulesOf('src/a.py', text)).toEqual(rules);
  });
});

test.each([
  ['is emptied', 'src/a.js', 'exports.a = 1;\n', 'module.exports = {};\n', ['file_emptied error']],
  [
    'loses what a function did',
    'src/a.py',
    'def f(a):\n    return a * 2\n',
    'def f(a):\n    return None\n',
    ['function_emptied warning'],
  ],
  [
    'has a function in fewer words',
    'src/a.py',
    'def f(a):\n    b = a * 2\n    return b\n',
    'def f(a):\n    return a * 2\n',
    [],
  ],
  ['no longer parses', 'src/a.py', 'a = 1\n', 'a = (1\n', ['does_not_parse error']],
  [
    'gets a byte that is no text',
    'src/a.js',
    'exports.a = 1;\n',
    'exports.a = 1; // \0\n',
    ['not_readable error'],
  ],
  ['keeps what it had', 'src/a.js', 'process.exit(0);\n', '// more\nprocess.exit(0);\n', []],
])('a file that %s', async (_, path, before, after, rules) => {
  expect(await rulesOf(path, after, before)).toEqual(rules);
});

test('what moves to another file is not added', async () => {
  const code = 'exports.a = (p) => p.catch(() => {});\n';
  const seen = await findTamperingFindings([
    { path: 'a.js', basePath: 'a.js', before: code, after: null },
    { path: 'b.js', basePath: null, before: null, after: code },
  ]);
  expect(seen).toEqual([]);
});

describe('a conftest.py', () => {
  const fixture = 'import pytest\n\n\n@pytest.fixture\ndef amount():\n    return 3\n';
  const context = { folder: '', isDeleted: () => false };
  test.each([
    ['may get a fixture', null, fixture, null],
    [
      'may get one beside what it has',
      fixture,
      `${fixture}\n\n@pytest.fixture(scope="session")\ndef rate():\n    return 1\n`,
      null,
    ],
    [
      'may not get one that runs unasked',
      null,
      fixture.replace('fixture\n', 'fixture(autouse=True)\n'),
      'base',
    ],
    [
      'may not get one that takes the place of another',
      null,
      fixture.replace('amount', 'monkeypatch'),
      'base',
    ],
    ['may not get a hook', null, 'def pytest_runtest_makereport(item):\n    pass\n', 'base'],
    ['may not import a hook', null, 'from evil import pytest_runtest_call\n', 'base'],
    ['may not import everything', null, 'from evil import *\n', 'base'],
    ['may not run anything', null, `${fixture}\n\nprint("a")\n`, 'base'],
    ['may not run anything in a default', null, fixture.replace('amount()', 'amount(a=f())'), 'base'],
    ['may not leave out tests', null, 'collect_ignore = ["test_a.py"]\n', 'base'],
    ['may not lose what it had', fixture, '', 'base'],
    ['must parse', null, 'def f(:\n', 'base'],
  ])('%s', async (_, base, head, result) => {
    expect((await createConftestMerger())(base, head, context)).toBe(result);
  });
});

test.each([
  ['def pytest_configure(config):\n    mark(config)\n', ['runner_patched info']],
  ['def pytest_runtest_makereport(item, call):\n    return PASSED\n', ['runner_patched error']],
  ['def pytest_pyfunc_call(pyfuncitem):\n    return True\n', ['runner_patched error']],
])('a plugin of pytest gets the hook %j', async (hook, rules) => {
  const before = 'def pytest_runtest_setup(item):\n    prepare(item)\n\n\n';
  expect(await rulesOf('plugin.py', `${before}${hook}`, before)).toEqual(rules);
});
