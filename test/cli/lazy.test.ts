import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMAND_MODULES } from '../../cli/command-modules.ts';
import { COMMAND_SUMMARIES } from '../../cli/command-summaries.ts';
import { buildProgram, findCommandName } from '../../cli/program.ts';
import { createTestRepository } from '../support/git-repository.ts';

const MAIN = join(import.meta.dirname, '../../cli/run-cli.ts');
const silent = {
  env: {},
  cwd: '/',
  stdout: { write: () => undefined, isTTY: false, columns: undefined },
  stderr: { write: () => undefined, isTTY: false, columns: undefined },
  readStdin: async () => '',
};

/** How many modules are loaded for a command line. */
const loadedFor = (...argv: readonly string[]): number => {
  const script = `
    import { registerHooks } from 'node:module';
    let count = 0;
    registerHooks({ load: (url, context, next) => { count++; return next(url, context); } });
    const { runCli } = await import(${JSON.stringify(MAIN)});
    const quiet = { write: () => undefined, isTTY: false, columns: undefined };
    await runCli(${JSON.stringify(argv)}, { env: {}, cwd: '/', stdout: quiet, stderr: quiet, readStdin: async () => '' });
    console.log(count);`;
  return Number(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).trim(),
  );
};

test('for help no command is loaded, and for a command no other', () => {
  expect(loadedFor('--help')).toBeLessThan(40);
  expect(loadedFor('rules', 'list')).toBeLessThan(250);
});

test('a check loads no gate where the base has no configuration, and nothing of the API', () => {
  const { dir, write } = createTestRepository({ 'a.js': 'export const a = 1;\n' });
  write({ 'a.js': 'export const a = 2;\n' });
  expect(loadedFor('check', '--repo', dir, '--base', 'main')).toBeLessThan(240);
});

test('every command that is listed is there, by the name and the summary that it is listed with', async () => {
  const all = await buildProgram(silent, 'all');
  const stubs = await buildProgram(silent, undefined);
  const told = (program: typeof all) => program.commands.map((each) => [each.name(), each.description()]);
  expect(told(stubs)).toEqual(told(all));
  expect(new Set(COMMAND_MODULES.flatMap(({ names }) => names))).toEqual(
    new Set(Object.keys(COMMAND_SUMMARIES)),
  );
});

test.each([
  [['check', '--base', 'main'], 'check'],
  [['--url', 'http://x', '--no-color', 'tasks'], 'tasks'],
  [['help', 'rules'], 'rules'],
  [['--help'], undefined],
  [[], undefined],
])('%j asks for %s', (argv, name) => {
  expect(findCommandName(argv)).toBe(name);
});
