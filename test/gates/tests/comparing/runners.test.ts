import { beforeEach, describe, expect, test } from 'vitest';
import { testsGate } from '../../../../gates/gates/tests.ts';
import { type FileContents, runGate } from '../../../support/patch-fixture.ts';
import {
  JS_TOOLS_SETUP,
  listMissingPrograms,
  OWN_TOOLS_SETUP,
  warmToolchains,
} from '../../../support/test-tools.ts';

/** A project whose code gives a number, with a test for 1 and one for 3. */
interface Runner {
  readonly what: string;
  readonly needs: string;
  readonly line: string;
  readonly file: string;
  readonly code: (value: number) => string;
  readonly files: FileContents;
}

const javascript = (from: string): string =>
  `${from}import { f } from './code.js';\ntest('one', () => expect(f()).toBe(1));\ntest('three', () => expect(f()).toBe(3));\n`;

const RUNNERS: readonly Runner[] = [
  {
    what: 'node --test',
    needs: 'node',
    line: 'node --test',
    file: 'code.js',
    code: (value) => `export const f = () => ${value};\n`,
    files: {
      'package.json': '{"type": "module"}',
      'code.test.js':
        "import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { f } from './code.js';\ntest('one', () => assert.equal(f(), 1));\ntest('three', () => assert.equal(f(), 3));\n",
    },
  },
  {
    what: 'pytest',
    needs: 'pytest',
    line: 'pytest -q -p no:cacheprovider',
    file: 'code_.py',
    code: (value) => `def f():\n    return ${value}\n`,
    files: {
      'test_code.py':
        'from code_ import f\n\ndef test_one():\n    assert f() == 1\n\ndef test_three():\n    assert f() == 3\n',
    },
  },
  {
    what: 'go test',
    needs: 'go',
    line: 'go test -json ./... > "$REPORT"',
    file: 'code.go',
    code: (value) => `package a\n\nfunc F() int { return ${value} }\n`,
    files: {
      'go.mod': 'module example.org/a\n\ngo 1.20\n',
      'code_test.go':
        'package a\n\nimport "testing"\n\nfunc TestOne(t *testing.T) {\n\tif F() != 1 {\n\t\tt.Fatal("no")\n\t}\n}\n\nfunc TestThree(t *testing.T) {\n\tif F() != 3 {\n\t\tt.Fatal("no")\n\t}\n}\n',
    },
  },
  {
    what: 'vitest',
    needs: 'own:vitest',
    line: `${OWN_TOOLS_SETUP} && npx vitest run --pool=threads`,
    file: 'code.js',
    code: (value) => `export const f = () => ${value};\n`,
    files: {
      'package.json': '{"type": "module"}',
      'code.test.js': javascript("import { expect, test } from 'vitest';\n"),
    },
  },
  {
    what: 'jest',
    needs: 'js:jest',
    line: `${JS_TOOLS_SETUP} && npx jest --ci`,
    file: 'code.js',
    code: (value) => `exports.f = () => ${value};\n`,
    files: {
      'package.json': '{}',
      'code.test.js':
        "const { f } = require('./code.js');\ntest('one', () => expect(f()).toBe(1));\ntest('three', () => expect(f()).toBe(3));\n",
    },
  },
];

describe('a base that fails is told from a patch that breaks something, with the real', () => {
  const missing = listMissingPrograms(RUNNERS);
  beforeEach(warmToolchains);

  for (const { what, needs, line, file, code, files } of RUNNERS)
    test.skipIf(missing.includes(needs))(what, async () => {
      const run = (value: number) =>
        runGate(
          testsGate,
          { ...files, [file]: code(1) },
          { [file]: code(value), 'NOTES.md': 'new\n' },
          { settings: { test_command: line } },
        );
      const same = await run(1);
      expect(same, same.detail).toMatchObject({
        outcome: 'passed',
        findings: [{ rule: 'test_failed', baseline: 'unchanged', message: expect.stringMatching(/three/i) }],
        facts: { baseline: 'run', baseline_outcome: 'failed', baseline_tests: 2, tests: 2 },
      });
      const worse = await run(2);
      expect(worse).toMatchObject({
        outcome: 'failed',
        findings: [
          { baseline: 'new', message: expect.stringMatching(/one/i) },
          { baseline: 'unchanged', message: expect.stringMatching(/three/i) },
        ],
      });
      // What is exchanged for the old failure is a new one.
      expect((await run(3)).outcome).toBe('failed');
    });
});
