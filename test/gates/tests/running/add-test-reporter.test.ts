import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { beforeEach, describe, expect, test } from 'vitest';
import { addTestReporter, parseShellCommands } from '../../../../gates/tests/running/add-test-reporter.ts';
import { runCommandLine } from '../../../../gates/tests/running/run-command-line.ts';
import { createSubject, type FileContents } from '../../../support/patch-fixture.ts';
import { listMissingPrograms, warmToolchains } from '../../../support/test-tools.ts';

const script = (test: string): FileContents => ({ 'package.json': JSON.stringify({ scripts: { test } }) });

describe('a line of tests', () => {
  test.each<[string, string, FileContents, 'environment' | 'options' | null]>([
    ['node', 'node --test', {}, 'environment'],
    ['node with a pattern', 'node --test "test/**/*.test.js"', {}, 'environment'],
    ['node after something else', 'npm ci --silent && node --test', {}, 'environment'],
    ['a script that runs node', 'npm run --silent test', script('node --test'), 'environment'],
    ['pytest', 'pytest -q', {}, 'environment'],
    ['pytest as a module', 'uv run python -m pytest tests', {}, 'environment'],
    ['pytest of an environment', '.venv/bin/pytest -q', {}, 'environment'],
    ['pytest of an interpreter with a version', 'python3.11 -m pytest', {}, 'environment'],
    [
      'pytest with options of the interpreter',
      '/usr/bin/python3 -W error -m pytest tests',
      {},
      'environment',
    ],
    ['pytest by uv', 'uv run --frozen --extra dev pytest', {}, 'environment'],
    ['pytest by poetry', 'poetry run pytest tests', {}, 'environment'],
    ['pytest under coverage', 'coverage run --branch -m pytest', {}, 'environment'],
    ['pytest within a time limit', 'PYTHONHASHSEED=0 timeout 600 pytest', {}, 'environment'],
    [
      'pytest by tox',
      'tox -e py312',
      { 'tox.ini': '[testenv]\ndeps = pytest\ncommands =\n    pip --version\n    pytest {posargs}\n' },
      'environment',
    ],
    [
      'two runs of pytest by tox',
      'tox -e py312',
      { 'tox.ini': '[testenv]\ncommands =\n    pytest a\n    pytest b\n' },
      null,
    ],
    [
      'several environments of tox',
      'tox -e py311,py312',
      { 'tox.ini': '[testenv]\ncommands = pytest\n' },
      null,
    ],
    ['another tool that is launched with pytest beside it', 'uv run --with pytest mytool', {}, null],
    ['vitest', 'npx vitest run', {}, 'options'],
    ['vitest without a command', 'npx vitest', {}, 'options'],
    ['vitest by pnpm', 'pnpm exec vitest run', {}, 'options'],
    ['vitest that watches', 'npx vitest watch', {}, null],
    ['tests of other packages', 'pnpm -r test', script('vitest run'), null],
    ['a script that runs vitest', 'npm test', script('vitest run --coverage'), 'options'],
    ['jest', 'jest --ci', {}, 'options'],
    ['node with a reporter of its own', 'node --test --test-reporter=tap', {}, null],
    ['a script with a reporter of its own', 'npm test', script('node --test --test-reporter=dot'), null],
    ['pytest with a report of its own', 'pytest --junitxml=out.xml', {}, null],
    [
      'pytest whose configuration does without reports',
      'pytest',
      { 'pytest.ini': '[pytest]\naddopts = -p no:junitxml\n' },
      null,
    ],
    [
      'vitest whose configuration has reporters',
      'vitest run',
      { 'vitest.config.ts': 'export default { test: { reporters: [] } }' },
      null,
    ],
    ['vitest that is not at the end', 'vitest run && echo done', {}, null],
    ['a script of another package manager that runs vitest', 'pnpm test', script('vitest run'), 'options'],
    ['two runners', 'node --test && pytest', {}, null],
    ['two runs', 'npm test && npm test', script('node --test'), null],
    ['a runner and whatever follows', 'node --test || true', {}, null],
    ['a runner whose output goes elsewhere', 'node --test | tee log', {}, null],
    ['a loop', 'for i in 1 2; do node --test; done', {}, null],
    ['a line that writes a report itself', 'node --test x > "$REPORT"', {}, null],
    ['something else', 'make test', {}, null],
    ['a script that is not there', 'npm test', {}, null],
    ['a script of a name that every object has', 'npm run constructor', script('node --test'), null],
  ])('is asked for single tests, or left alone: %s', async (_, line, files, how) => {
    const asked = await addTestReporter(await createSubject({ 'a.js': '', ...files }, { 'a.js': '1' }), line);
    expect(asked.line.startsWith(line)).toBe(true);
    expect(asked.environment ? 'environment' : asked.line === line ? null : 'options').toBe(how);
  });

  test.each([
    ['npm test', script('vitest run'), 'npm test -- --reporter='],
    ['pnpm test', script('vitest run'), 'pnpm test --reporter='],
    ['go test -v ./...', {}, 'go test ./... -json > "$REPORT"'],
    ['go test -test.v=true -count=1 ./...', {}, 'go test -count=1 ./... -json > "$REPORT"'],
  ])('gets options where its runner reads them: %s', async (line, files, expected) => {
    const subject = await createSubject({ 'a.js': '', ...files }, { 'a.js': '1' });
    expect((await addTestReporter(subject, line)).line).toContain(expected);
  });

  test('is taken apart only where it is plain', () => {
    expect(parseShellCommands('a "b c" d\'e\' && f')).toEqual([['a', 'b c', 'de'], ['f']]);
    for (const line of [
      '',
      '&&',
      'a;b',
      'a & b',
      'a "$b"',
      'a `b`',
      "a 'b",
      'a\nb',
      'a # b',
      '(a)',
      'a && && b',
    ])
      expect(parseShellCommands(line), line).toBeNull();
    fc.assert(
      fc.property(fc.array(fc.stringMatching(/^[\w./*-]{1,8}$/), { minLength: 1 }), (words) => {
        expect(parseShellCommands(words.join(' '))).toEqual([words]);
      }),
    );
  });
});

/** Packages of this repository, for projects that run its own runner. */
const MODULES = join(import.meta.dirname, '../../../../node_modules');

interface Real {
  readonly what: string;
  readonly needs: string;
  readonly line: string;
  readonly files: FileContents;
  /** Names and outcomes. */
  readonly cases: readonly string[];
}

/** Each writes down what it sees of the way it is run, so that a change would show. */
const NODE_FILES: FileContents = {
  ...script('node --test "*.test.js"'),
  'a.test.js': `const test = require('node:test');
const assert = require('node:assert');
const { spawnSync } = require('node:child_process');
const { appendFileSync } = require('node:fs');
test('good', () => appendFileSync('trace', 'good ' + process.execArgv.filter((each) => !each.startsWith('--test-')).join() + '\\n'));
test('bad', () => assert.equal(1, 2));
test('child', () => {
  const child = spawnSync(process.execPath, ['-e', 'console.log(1 + 1)'], { encoding: 'utf8' });
  assert.equal(child.stdout, '2\\n');
});
test('child with tests', () => {
  const child = spawnSync(process.execPath, ['inner.js']);
  assert.equal(child.status, 0);
});
test.skip('later', () => {});
`,
  'inner.js': "require('node:test')('inner', () => {});\n",
};

const REAL: readonly Real[] = [
  {
    what: 'node',
    needs: 'node',
    line: 'node --test',
    files: NODE_FILES,
    cases: ['bad failed', 'child passed', 'child with tests passed', 'good passed', 'later skipped'],
  },
  {
    what: 'node, by a script',
    needs: 'npm',
    line: 'npm run --silent test',
    files: NODE_FILES,
    cases: ['bad failed', 'child passed', 'child with tests passed', 'good passed', 'later skipped'],
  },
  {
    what: 'pytest',
    needs: 'pytest',
    line: 'pytest -q -p no:cacheprovider',
    files: {
      'test_a.py': `import subprocess, sys, os
def test_good():
    open('trace', 'a').write('good ' + ' '.join(sys.argv[1:]) + '\\n')
def test_bad():
    assert 1 == 2
def test_inner():
    assert subprocess.run([sys.executable, '-m', 'pytest', '-q', '-p', 'no:cacheprovider', 'inner.py'], stdout=subprocess.DEVNULL).returncode == 0
`,
      'inner.py': 'def test_in():\n    pass\n',
    },
    cases: ['test_bad failed', 'test_good passed', 'test_inner passed'],
  },
  {
    what: 'vitest, by a script',
    needs: 'npm',
    line: 'npm run --silent test',
    files: {
      ...script('vitest run --pool=threads'),
      'a.test.js': `import { appendFileSync } from 'node:fs';
import { expect, test } from 'vitest';
test('good', () => appendFileSync('trace', 'good\\n'));
test('bad', () => expect(1).toBe(2));
test.skip('later', () => {});
`,
    },
    cases: ['bad failed', 'good passed', 'later skipped'],
  },
];

describe('asking for single tests changes nothing of the run of', () => {
  const missing = listMissingPrograms(REAL);
  beforeEach(warmToolchains);

  for (const { what, needs, line, files, cases } of REAL)
    test.skipIf(missing.includes(needs))(what, async () => {
      const subject = await createSubject(files, { 'other.txt': '' });
      const run = async (asked: Parameters<typeof runCommandLine>[1]) => {
        const room = await subject.sandboxes.createSandbox(subject.tree);
        symlinkSync(MODULES, join(room.checkoutRoot, 'node_modules'));
        const execution = await runCommandLine(room, asked, 60_000);
        const trace = join(room.checkoutRoot, 'trace');
        return {
          execution,
          exit: execution.processResult.exitCode,
          trace: existsSync(trace) ? readFileSync(trace, 'utf8') : null,
          left: readdirSync(room.checkoutRoot).sort(),
        };
      };
      const plain = await run({ line });
      const asked = await run(await addTestReporter(subject, line));
      expect(plain.execution.cases).toBeNull();
      expect(
        asked.execution.cases?.map(({ name, outcome }) => `${name.split(' > ').at(-1)} ${outcome}`).sort(),
      ).toEqual(cases);
      expect([asked.exit, asked.trace, asked.left]).toEqual([plain.exit, plain.trace, plain.left]);
      expect(plain.trace).toContain('good');
    });
});

describe('a run that stops at the first test that fails', () => {
  beforeEach(warmToolchains);

  const runners: { what: string; needs: string; line: string; files: FileContents }[] = [
    {
      what: 'pytest',
      needs: 'pytest',
      line: 'python3 -m pytest -q -p no:cacheprovider',
      files: { 'test_a.py': 'def test_a():\n    assert 0\n\ndef test_b():\n    assert 0\n' },
    },
    {
      what: 'unittest',
      needs: 'python3',
      line: 'python3 -m unittest',
      files: {
        'test_a.py':
          'import unittest\nclass T(unittest.TestCase):\n  def test_a(self): assert 0\n  def test_b(self): assert 0\n',
      },
    },
    {
      what: 'go',
      needs: 'go',
      line: 'go test ./...',
      files: {
        'go.mod': 'module example.com/m\n\ngo 1.21\n',
        'a_test.go':
          'package m\n\nimport "testing"\n\nfunc TestA(t *testing.T) { t.Fail() }\nfunc TestB(t *testing.T) { t.Fail() }\n',
      },
    },
    {
      what: 'vitest',
      needs: 'npm',
      line: 'npm run --silent test',
      files: {
        ...script('vitest run --pool=threads'),
        'a.test.js': `import { expect, test } from 'vitest';
test('a', () => expect(1).toBe(2));
test('b', () => expect(1).toBe(2));
`,
      },
    },
  ];
  const missing = listMissingPrograms(runners);

  for (const { needs, line, files, what } of runners)
    test.skipIf(missing.includes(needs))(`has one failure: ${what}`, async () => {
      const subject = await createSubject(files, { 'other.txt': '' });
      const countFailures = async (stopsAtFirstFailure: boolean) => {
        const sandbox = await subject.sandboxes.createSandbox(subject.tree);
        symlinkSync(MODULES, join(sandbox.checkoutRoot, 'node_modules'));
        const asked = await addTestReporter(subject, line, { stopsAtFirstFailure });
        const { cases, outcome } = await runCommandLine(sandbox, asked, 60_000);
        expect(outcome).toBe('failed');
        return (cases ?? []).filter((each) => each.outcome === 'failed').length;
      };
      expect([await countFailures(false), await countFailures(true)]).toEqual([2, 1]);
    });
});
