import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { EXIT_MEANINGS } from '../../cli/exit.ts';
import { generated } from '../../docs/generate.ts';
import { cliPage } from '../../docs/generator/cli.ts';
import { JSON_SHAPES } from '../../docs/generator/json-shapes.ts';
import { lifecycle } from '../../docs/generator/lifecycle.ts';
import { STATUSES, TRANSITIONS } from '../../shared/task/status.ts';

const DOCS = join(import.meta.dirname, '../../docs');

test.each(Object.entries(generated()))('docs/%s is what the sources say now', (name, text) => {
  expect(readFileSync(join(DOCS, name), 'utf8')).toBe(text);
});

describe('the life of a task', () => {
  const page = lifecycle();

  test.each(Object.entries(TRANSITIONS))('shows %s with its reason', (event, { why }) => {
    expect(page).toMatch(new RegExp(`^\\| \`${event}\` \\|.*${why.replaceAll('.', '\\.')} \\|$`, 'm'));
  });

  test('draws an arrow for each change of status, and none that is not in the table', () => {
    const arrows = [...page.matchAll(/^ {2}(\w+) --> (\w+): (.+)$/gm)].map(([, from, to, events]) => ({
      from,
      to,
      events: events?.split(', '),
    }));
    const expected = Object.entries(TRANSITIONS).flatMap(([event, { from, to }]) =>
      to === null ? [] : from.map((status) => ({ from: status, to, events: [event] })),
    );
    expect(arrows).toEqual(expect.arrayContaining(expected));
    expect(arrows).toHaveLength(expected.length);
  });

  test.each(STATUSES)('has a row for %s', (status) => {
    expect(page).toContain(`| \`${status}\` |`);
  });
});

describe('the page of the command line', () => {
  const page = cliPage();
  const commands = [...page.matchAll(/^## assay (.+)$/gm)].map((match) => match[1] ?? '');

  test('has every command, each with an example', () => {
    for (const command of commands) expect(page).toContain(`$ assay ${command}`);
  });

  test.each(commands)('says what %s prints with --json', (command) => {
    expect(JSON_SHAPES).toHaveProperty([command]);
  });

  test.each(Object.entries(EXIT_MEANINGS))('explains exit code %s', (code, meaning) => {
    expect(page).toContain(`${code.padEnd(4)} ${meaning}`);
  });

  test('has no colours and no absolute path of this machine', () => {
    expect(page).not.toContain('\u001b');
    expect(page).not.toContain(DOCS);
  });
});
