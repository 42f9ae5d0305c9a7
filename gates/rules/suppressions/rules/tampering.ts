import type { RuleDefinition } from '../../framework/rule-family.ts';

const RUN = 'Runs tell what it does; the text alone says too little.';
const JS = { 'src/shop.js': 'export const total = (items) => items.length;\n' };
const PYTHON = { 'shop.py': 'def total(items):\n    return sum(items)\n' };
const javascript = (line: string) => ({ 'src/shop.js': `${JS['src/shop.js']}${line}\n` });
const python = (text: string) => ({ 'shop.py': `${PYTHON['shop.py']}\n\n${text}\n` });

/** Code that cheats whoever runs it. */
export const TAMPERING_RULES: readonly RuleDefinition[] = [
  {
    id: 'ends_process',
    default: 'warning',
    languages: ['python', 'javascript', 'go', 'rust'],
    summary: 'code ends the process well as soon as it is loaded',
    rationale: RUN,
    invalidExamples: [
      { name: 'process.exit at the top of a module', before: JS, after: javascript('process.exit(0);') },
      { name: 'os._exit at the top of a module', before: PYTHON, after: python('import os\nos._exit(0)') },
      {
        name: 'init of a package of Go',
        before: { 'shop.go': 'package shop\n' },
        after: { 'shop.go': 'package shop\n\nimport "os"\n\nfunc init() {\n\tos.Exit(0)\n}\n' },
      },
    ],
    validExamples: [
      {
        name: 'a program ends itself',
        before: JS,
        after: { 'bin/shop.js': 'function main() {\n  process.exit(0);\n}\nmain();\n' },
      },
      {
        name: 'a signal ends the process',
        before: JS,
        after: javascript("process.on('SIGTERM', () => process.exit(0));"),
      },
    ],
  },
  {
    id: 'rewrites_exit_code',
    default: 'warning',
    languages: ['python', 'javascript', 'rust'],
    summary: 'code changes how a failed run ends',
    rationale: RUN,
    invalidExamples: [
      { name: 'the exit code is set to 0', before: JS, after: javascript('process.exitCode = 0;') },
      {
        name: 'a hook that ends well',
        before: JS,
        after: javascript("process.on('exit', () => process.reallyExit(0));"),
      },
    ],
    validExamples: [
      { name: 'an exit code that says what failed', before: JS, after: javascript('process.exitCode = 2;') },
    ],
  },
  {
    id: 'runner_patched',
    default: 'warning',
    levelInExpectedFiles: 'info',
    languages: ['python', 'javascript', 'go', 'rust'],
    summary: 'the test runner or its assertions are replaced',
    rationale: RUN,
    invalidExamples: [
      {
        name: 'an assertion of Node is replaced',
        before: JS,
        after: javascript("import assert from 'node:assert';\nassert.equal = () => {};"),
      },
      {
        name: 'an assertion of unittest is replaced',
        before: PYTHON,
        after: python('import unittest\nunittest.TestCase.assertEqual = lambda *a: None'),
      },
      {
        name: 'a plugin of pytest gets a hook that decides results',
        before: { 'plugin.py': 'def pytest_runtest_setup(item):\n    prepare(item)\n' },
        after: {
          'plugin.py':
            'def pytest_runtest_setup(item):\n    prepare(item)\n\n\ndef pytest_runtest_makereport(item, call):\n    return PASSED\n',
        },
      },
    ],
    validExamples: [
      {
        name: 'a field of an object of our own',
        before: JS,
        after: javascript('const a = {};\na.equal = () => {};'),
      },
      {
        name: 'the body of a hook in a plugin of pytest',
        before: { 'plugin.py': 'def pytest_runtest_setup(item):\n    prepare(item)\n' },
        after: { 'plugin.py': 'def pytest_runtest_setup(item):\n    prepare(item, again=True)\n' },
      },
    ],
  },
  {
    id: 'equal_to_everything',
    default: 'warning',
    languages: ['python', 'javascript'],
    summary: 'a value claims to be equal to anything',
    rationale: RUN,
    invalidExamples: [
      {
        name: '__eq__ that is always true',
        before: PYTHON,
        after: python('class Any:\n    def __eq__(self, other): return True'),
      },
    ],
    validExamples: [
      {
        name: '__eq__ that compares',
        before: PYTHON,
        after: python('class Price:\n    def __eq__(self, other): return self.n == other.n'),
      },
    ],
  },
  {
    id: 'detects_test_run',
    default: 'warning',
    languages: ['python', 'javascript', 'go', 'rust'],
    summary: 'code can tell that it is being tested',
    rationale: RUN,
    invalidExamples: [
      {
        name: 'a variable of the runner',
        before: JS,
        after: javascript('export const t = process.env.NODE_TEST_CONTEXT;'),
      },
      {
        name: 'pytest among the modules',
        before: PYTHON,
        after: python('import sys\nT = "pytest" in sys.modules'),
      },
    ],
    validExamples: [
      {
        name: 'an option of the program',
        before: JS,
        after: javascript("export const dry = process.argv.includes('--dry-run');"),
      },
    ],
  },
  {
    id: 'error_swallowed',
    default: 'info',
    languages: ['python', 'javascript'],
    summary: 'every error is caught and thrown away',
    rationale: RUN,
    invalidExamples: [
      {
        name: 'a promise whose error is gone',
        before: JS,
        after: javascript('export const a = (p) => p.catch(() => {});'),
      },
      {
        name: 'except Exception: pass',
        before: PYTHON,
        after: python('def pay(a):\n    try:\n        a.pay()\n    except Exception:\n        pass'),
      },
    ],
    validExamples: [
      {
        name: 'an error that is told',
        before: PYTHON,
        after: python(
          'def pay(a):\n    try:\n        a.pay()\n    except ValueError as error:\n        raise Refused() from error',
        ),
      },
    ],
  },
  {
    id: 'function_emptied',
    default: 'warning',
    languages: ['python', 'javascript'],
    summary: 'nothing is left of a function that did something',
    rationale:
      'Where the tests pass, nobody notices that it does nothing, so no run tells; who takes a function away deletes it. None of 364 honest commits emptied one (ADR 133). A name that stands for nothing is a note.',
    invalidExamples: [
      {
        name: 'a check without its check',
        before: {
          'src/shop.js': 'export function check(a) {\n  if (a < 0) throw new Error("negative");\n}\n',
        },
        after: { 'src/shop.js': 'export function check(a) {\n}\n' },
      },
    ],
    validExamples: [
      {
        name: 'a function that goes',
        before: {
          'src/shop.js':
            'export function check(a) {\n  if (a < 0) throw new Error("negative");\n}\nexport const b = 1;\n',
        },
        after: { 'src/shop.js': 'export const b = 1;\n' },
      },
    ],
  },
];
