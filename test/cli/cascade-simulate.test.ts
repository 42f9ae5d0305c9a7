import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { assay } from './support.ts';

const cwd = mkdtempSync(join(tmpdir(), 'assay-simulate-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
const run = (...argv: string[]) => assay(['cascade', ...argv], { cwd });

test('made-up outcomes are replayed, with a table, a picture and JSON that say that they are made up', async () => {
  const made = await run('generate', '--tasks', '60', '--seed', 'x');
  expect(made.code).toBe(0);
  writeFileSync(join(cwd, 'outcomes.jsonl'), made.stdout);
  const ran = await run('simulate', 'outcomes.jsonl', '--runs', '1', '--svg', 'out.svg');
  expect(ran).toMatchObject({ code: 0, stderr: '' });
  expect(ran.stdout).toContain('60 of 60 tasks, synthetic data');
  expect(ran.stdout).toMatch(
    /thompson: -?\d+\.\d % against the oracle, -?\d+\.\d % against the top model alone/,
  );
  const svg = readFileSync(join(cwd, 'out.svg'), 'utf8');
  expect(svg).toContain('synthetic data');
  expect(svg).not.toContain('NaN');
  const json = await run('simulate', 'outcomes.jsonl', '--runs', '1', '--policy', 'fixed,oracle', '--json');
  expect(JSON.parse(json.stdout)).toMatchObject({ synthetic: true, tasks: 60, unknown: 0 });
});

test('on a terminal of 80 columns policies stand side by side, with the interval under each figure', async () => {
  writeFileSync(join(cwd, 'narrow.jsonl'), (await run('generate', '--tasks', '40')).stdout);
  const { stdout } = await assay(['cascade', 'simulate', 'narrow.jsonl', '--runs', '1'], {
    cwd,
    terminal: 80,
    env: { NO_COLOR: '1' },
    page: async () => false,
  });
  const lines = stdout.split('\n');
  expect(lines.filter((line) => line.length > 80 && !line.includes('intervals'))).toEqual([]);
  const at = lines.findIndex((line) => line.startsWith('fixed '));
  expect(lines[at]).toMatch(/^fixed( +-?\d+(\.\d+)?){5}$/);
  expect(lines[at + 1]).toMatch(/^( +-?\d+(\.\d+)?\.\.-?\d+(\.\d+)?){4}$/);
  expect(lines[at + 2]).toMatch(/^direct /);
});

test.each([
  [['simulate', 'none.jsonl'], '', 'none.jsonl'],
  [['simulate', 'bad.jsonl'], '{"task":"a","tier":"haiku","passed":true,"cost_usd":-1}', 'bad.jsonl:1'],
  [['simulate', 'bad.jsonl'], '\n', 'no outcome'],
  [['simulate', 'bad.jsonl', '--policy', 'best'], '{}', '--policy best'],
  [['simulate', 'bad.jsonl', '--runs', '0'], '{}', '--runs'],
])('%j is refused with a word on what is wrong', async (argv, text, words) => {
  if (argv[1] === 'bad.jsonl') writeFileSync(join(cwd, 'bad.jsonl'), text);
  const ran = await run(...argv);
  expect(ran.code).toBe(2);
  expect(ran.stderr).toContain(words);
});
