import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { expect, test } from 'vitest';
import { buildProgram } from '../../cli/program.ts';
import { loadNamedSqlQueries } from '../../shared/control/ledger/named-queries.ts';

const ROOT = join(import.meta.dirname, '../..');
const PAGES = ['README.md', ...globSync('docs/**/*.md', { cwd: ROOT, exclude: ['docs/generator/**'] })]
  // Made from the program itself.
  .filter((page) => page !== join('docs/reference', 'cli.md'))
  .sort();

const program = await buildProgram(
  {
    env: {},
    cwd: '/',
    stdout: { write: () => undefined, isTTY: false, columns: undefined },
    stderr: { write: () => undefined, isTTY: false, columns: undefined },
    readStdin: async () => '',
  },
  'all',
);
const queries = new Set(loadNamedSqlQueries().map(({ name }) => name));

/** `assay a b\\|c` stands for two of them, in a cell of a table. */
function wrongWith(text: string): string | null {
  const [, before, words] = /^(.* )?(\S+\\\|\S+)$/.exec(text) ?? [];
  if (words === undefined) return wrongWithOne(text);
  return (
    words
      .split('\\|')
      .map((word) => wrongWithOne(`${before}${word}`))
      .find((wrong) => wrong !== null) ?? null
  );
}

/** What is wrong with `assay …` as a page writes it; null: nothing. */
function wrongWithOne(text: string): string | null {
  // What follows a pipe or a comment is another program's.
  const words = text
    .replace(/ [|#>] .*| && .*| 2>.*/, '')
    .split(/\s+/)
    .slice(1);
  let command: Command = program;
  const rest = [...words];
  for (;;) {
    const next = command.commands.find(
      (each) => each.name() === rest[0] || each.aliases().includes(rest[0] ?? ''),
    );
    if (!next) break;
    command = next;
    rest.shift();
  }
  if (command === program)
    return /^[A-Z<…-]|^$/.test(rest[0] ?? '') ? null : `there is no command ${rest[0]}`;
  if (command.commands.length > 0) {
    const named = rest[0] !== undefined && /^[a-z]/.test(rest[0]);
    if (named) return `${command.name()} has no ${rest[0]}`;
    command =
      command.commands.find(
        (each) => (command as unknown as { _defaultCommandName: string })._defaultCommandName === each.name(),
      ) ?? command;
  }
  for (let at: Command | null = command, known: string[] = []; ; at = at.parent) {
    if (at) {
      known = [...known, ...at.options.flatMap(({ long, short }) => [long ?? '', short ?? ''])];
      continue;
    }
    const strange = rest
      .map((word) => /^(--[a-z][\w-]*)/.exec(word)?.[1])
      .find((flag) => flag !== undefined && flag !== '--help' && !known.includes(flag));
    if (strange) return `${command.name()} has no ${strange}`;
    break;
  }
  // What stands with its arguments is typed as it stands.
  const isWhole = rest.some((word) => !word.startsWith('-')) && command.registeredArguments.length > 0;
  const missing = command.options.find(({ mandatory, long }) => mandatory && !rest.includes(long ?? ''));
  if (isWhole && missing) return `${command.name()} needs ${missing.long}`;
  const [query = ''] = rest;
  if (
    command.name() === 'query' &&
    /^[a-z][a-z-]*$/.test(query) &&
    !queries.has(query) &&
    !query.endsWith('.sql')
  )
    return `there is no named query ${query}`;
  return null;
}

/** Commands in running text and in blocks of shell lines. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, page), 'utf8');
  const fences = [...text.matchAll(/^```(?:sh|bash|console)\n(.*?)^```/gms)].flatMap(([, block = '']) =>
    block.split('\n'),
  );
  const inline = [...text.replaceAll(/^```.*?^```/gms, '').matchAll(/`([^`\n]+)`/g)].map(
    ([, code = '']) => code,
  );
  return [...fences.map((line) => line.replace(/^\$ |^npx |^npm run -s /, '')), ...inline]
    .filter((line) => /^assay( |$)/.test(line))
    .map((line) => line.replace(/^assay -- /, 'assay '));
}

test('pages name commands, options and queries that there are', () => {
  const found = PAGES.flatMap((page) =>
    commandsOf(page).map((text) => ({ page, text, wrong: wrongWith(text) })),
  );
  expect(found.length).toBeGreaterThan(100);
  expect(found.filter(({ wrong }) => wrong !== null)).toEqual([]);
});

test.each([
  ['assay task ID --opne', 'task has no --opne'],
  ['assay dlq lst', 'dlq has no lst'],
  ['assay gone ID', 'there is no command gone'],
  ['assay query no-such-query', 'there is no named query no-such-query'],
  ['assay review ID --approve', 'review needs --reason'],
  ['assay review', null],
  ['assay verification reset --reason "x"', null],
  ['assay tasks --json | jq .tasks', null],
])('%s: %s', (text, wrong) => {
  expect(wrongWith(text)).toBe(wrong);
});
