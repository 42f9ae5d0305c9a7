import { expect, it, vi } from 'vitest';
import { SandboxFactory } from '../../../../gates/core/sandbox-factory.ts';
import { testsGate } from '../../../../gates/gates/tests.ts';
import { openToolTestSuite } from '../../../../gates/tests/gate-runs/run-tools.ts';
import { selectLanguageTools } from '../../../../gates/tests/running/choose-tools.ts';
import { createSubject, runGate } from '../../../support/patch-fixture.ts';

it('does not share a run that was ended by the shorter time limit of another caller', async () => {
  const subject = await createSubject(
    {
      'package.json': '{"scripts":{"unit":"node --test"}}\n',
      'sum.js': 'exports.sum = (a, b) => a;\n',
      'test/sum.test.js': "require('node:test').test('adds', () => {});\n",
    },
    { 'sum.js': 'exports.sum = (a, b) => a + b;\n' },
  );
  const { tools } = await selectLanguageTools(subject, 'tests', {}, true);
  const [tool] = tools;
  const context = { subject, command: null, explicitlyEnabled: true, timeoutMs: 60_000 };
  const suite = tool && (await openToolTestSuite(context, tool));
  expect(await suite?.run(subject.tree, { limitMs: 1 })).toMatchObject({ outcome: 'timed_out' });
  const completed = await suite?.run(subject.tree, { limitMs: 60_000 });
  expect(completed).toMatchObject({ outcome: 'passed' });
  expect(await suite?.run(subject.tree, { limitMs: 60_000 })).toBe(completed);
});

it.each([
  ['the tools of several folders', {}, { explicitlyEnabled: true }],
  ['a command', { test_command: 'sh test.sh' }, {}],
])('gives each run the whole time limit: %s', async (_name, settings, context) => {
  const limits: number[] = [];
  const original = SandboxFactory.prototype.createSandbox;
  vi.spyOn(SandboxFactory.prototype, 'createSandbox').mockImplementation(async function (
    this: SandboxFactory,
    ...args
  ) {
    const sandbox = await original.apply(this, args);
    const run = sandbox.run.bind(sandbox);
    sandbox.run = (command, timeoutMs, ...rest) => {
      if ('line' in command && /npm run --silent test|test\.sh/.test(command.line)) limits.push(timeoutMs);
      return run(command, timeoutMs, ...rest);
    };
    return sandbox;
  });
  const test = (value: string): string =>
    `require('node:test').test('adds', () => require('node:assert').equal(require('./sum.js'), ${value}));\n`;
  const files = Object.fromEntries(
    ['a', 'b'].flatMap((folder) => [
      [`${folder}/package.json`, '{"scripts":{"test":"node --test"}}\n'],
      [`${folder}/sum.js`, 'module.exports = 1;\n'],
      [`${folder}/sum.test.js`, test('1')],
    ]),
  );
  await runGate(
    testsGate,
    { ...files, 'test.sh': 'cd a && node --test\n' },
    { 'a/sum.js': 'module.exports = 2;\n', 'b/sum.js': 'module.exports = 2;\n' },
    { settings: { tests: true, ...settings }, context: { ...context, timeoutMs: 50_000 } },
  );
  vi.restoreAllMocks();
  expect(limits.length).toBeGreaterThan(1);
  expect(new Set(limits)).toEqual(new Set([50_000]));
});
