import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { COMMAND_SUMMARIES } from '../../cli/command-summaries.ts';
import { COMPLETION_SCRIPTS } from '../../cli/completion/scripts.ts';
import { assay } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-completion-'));
afterAll(() => rmSync(folder, { recursive: true }));
const script = join(folder, 'assay.bash');
beforeAll(async () => {
  writeFileSync(script, (await assay(['completion', 'bash'])).stdout);
});

/** What bash would offer for a line, its last word being the one that is typed. */
const offered = (...line: readonly string[]): string[] =>
  execFileSync(
    'bash',
    [
      '-c',
      `source "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _assay; printf "%s\\n" "\${COMPREPLY[@]}"`,
      script,
      'assay',
      ...line,
    ],
    { encoding: 'utf8', cwd: folder },
  )
    .split('\n')
    .filter(Boolean);

describe('completion', () => {
  test('offers every command', () => {
    expect(offered('').toSorted()).toEqual(Object.keys(COMMAND_SUMMARIES).toSorted());
  });

  test.each([
    [['che'], ['check']],
    [['plans', 'ap'], ['approve']],
    [
      ['check', '--sk'],
      ['--skip-gate', '--skip-gate-reason'],
    ],
    [['check', '--format', 'm'], ['markdown']],
    [
      ['quality', 'trend', '--granularity', ''],
      ['day', 'week'],
    ],
    [['check', '--base', 'main', '--sarif', 'ass'], ['assay.bash']],
    [['query', 'ass'], ['assay.bash']],
    [["it's", '$(touch x)', ''], expect.any(Array)],
  ])('offers for %j what fits', (line, expected) => {
    expect(offered(...line)).toEqual(expected);
  });

  test('is for zsh without what zsh takes for something else: slices of arrays, and a variable that is its PATH', async () => {
    const { stdout } = await assay(['completion', 'zsh']);
    expect(stdout).toContain('COMP_WORDS[index]');
    expect(stdout).not.toMatch(/\[@\]:|\bpath=/);
  });

  test('tells commands of one name apart in fish, by all words before them', async () => {
    const { stdout } = await assay(['completion', 'fish']);
    const cursors = stdout.split('\n').filter((line) => line.includes(" -l 'cursor' "));
    expect(cursors).toContainEqual(
      expect.stringContaining("-n '__fish_seen_subcommand_from dlq; and __fish_seen_subcommand_from list'"),
    );
    expect(cursors).not.toContainEqual(expect.stringContaining("-n '__fish_seen_subcommand_from list'"));
    expect(stdout).toContain("-n 'not __fish_seen_subcommand_from up submit");
  });

  test.each(Object.keys(COMPLETION_SCRIPTS))('is of a form that %s reads', async (shell) => {
    const { stdout, code } = await assay(['completion', shell]);
    expect(code).toBe(0);
    expect(stdout).toContain('assay');
    // Where the shell is not here, the quotes at least are even.
    const there = spawnSync(shell, ['-c', 'true']).status === 0;
    if (there) {
      const file = join(folder, `assay.${shell}`);
      writeFileSync(file, stdout);
      const { status, stderr } = spawnSync(shell, ['-n', file], { encoding: 'utf8' });
      expect([status, stderr]).toEqual([0, '']);
    } else expect((stdout.replaceAll("'\\''", '').match(/'/g)?.length ?? 0) % 2).toBe(0);
  });

  test('knows no other shell, and says which there are', async () => {
    const { code, stderr } = await assay(['completion', 'cmd']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('bash, zsh, fish')]);
  });
});
