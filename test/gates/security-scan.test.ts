import { beforeEach, describe, expect, test } from 'vitest';
import { securityScanGate } from '../../gates/gates/security-scan.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';
import { listMissingPrograms, warmToolchains } from '../support/test-tools.ts';

const SHELL = 'import subprocess\n\n\ndef run(line):\n    subprocess.call(line, shell=True)\n';

interface Case {
  readonly what: string;
  readonly needs: string;
  readonly base: FileContents;
  readonly edits: FileEdits;
  readonly outcome: string;
  readonly findings: readonly string[];
}

const CASES: readonly Case[] = [
  {
    what: 'fails for a hole that the patch writes',
    needs: 'bandit',
    base: { 'a.py': 'import subprocess\n' },
    edits: { 'a.py': SHELL },
    outcome: 'failed',
    findings: ['a.py:5 B602'],
  },
  {
    what: 'reports a hole that was there before',
    needs: 'bandit',
    base: { 'a.py': SHELL },
    edits: { 'a.py': `${SHELL}\n\nX = 1\n` },
    outcome: 'passed',
    findings: ['a.py:1 B404', 'a.py:5 B602'],
  },
  {
    what: 'is not silenced by a comment',
    needs: 'bandit',
    base: { 'a.py': 'import subprocess\n' },
    edits: { 'a.py': SHELL.replace('shell=True)', 'shell=True)  # nosec') },
    outcome: 'failed',
    findings: ['a.py:5 B602'],
  },
  {
    what: 'is not silenced by code that nobody can read',
    needs: 'bandit',
    base: { 'a.py': 'X = 1\n' },
    edits: { 'a.py': `${SHELL}\ndef broken(:\n` },
    outcome: 'failed',
    findings: ['a.py:null not_scanned'],
  },
  {
    what: 'passes what is clean',
    needs: 'bandit',
    base: { 'a.py': 'X = 1\n' },
    edits: { 'a.py': 'X = 2\n' },
    outcome: 'passed',
    findings: [],
  },
];

describe('the security scan', () => {
  const missing = listMissingPrograms(CASES);
  beforeEach(warmToolchains);

  for (const { what, needs, base, edits, outcome, findings } of CASES)
    test.skipIf(missing.includes(needs))(what, async () => {
      const result = await runGate(securityScanGate, base, edits);
      const own = result.findings.filter(
        ({ message }) => outcome === 'passed' || !message.includes('before'),
      );
      const shown = own.map(({ file, line, rule }) => `${file}:${line} ${rule}`);
      expect(shown.filter((each) => outcome === 'passed' || !each.endsWith('B404'))).toEqual(findings);
      expect(result).toMatchObject({ outcome, facts: { tool: needs } });
    });

  test('runs the command of the configuration by its exit code', async () => {
    const run = (security_scan_command: string) =>
      runGate(
        securityScanGate,
        { 'a.py': '' },
        { 'a.py': 'X = 1\n' },
        { settings: { security_scan_command } },
      );
    expect(await run('test -f a.py')).toMatchObject({ outcome: 'passed' });
    expect(await run('! grep X a.py || exit 9')).toMatchObject({
      outcome: 'failed',
      facts: { exit_code: 9 },
    });
  });

  test('could not run where nothing can be scanned', async () => {
    expect(await runGate(securityScanGate, { 'a.txt': '' }, { 'a.txt': 'x' })).toMatchObject({
      outcome: 'could_not_run',
    });
  });
});
