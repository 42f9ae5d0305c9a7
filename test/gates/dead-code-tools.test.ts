import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { compareCodeIssues } from '../../gates/code/parsing/code-issue.ts';
import { deadCodeGate } from '../../gates/gates/dead-code.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { runGate } from '../support/patch-fixture.ts';

describe('dead_code with the tools of the languages', () => {
  const withTool = (name: string, script: string): void => {
    const folder = createTemporaryFolder();
    writeFileSync(
      join(folder, name),
      `#!/bin/bash\nif [ "$1" = --version ]; then echo 2.14; exit; fi\n${script}\n`,
    );
    chmodSync(join(folder, name), 0o755);
    vi.stubEnv('PATH', `${folder}:${process.env['PATH'] ?? ''}`);
  };
  const BASE = { 'a.py': 'def f(x): pass\n' };
  const EDITS = { 'a.py': 'def f(x): pass\ndef g(y): pass\n' };

  test('takes what vulture has to say about the patch, and not about the base', async () => {
    withTool(
      'vulture',
      `[ "$1 $2 $3" = "--min-confidence 70 ./a.py" ] || exit 9\necho "./a.py:1: unused variable 'x' (100% confidence)"\ngrep -q y a.py && echo "a.py:2: unused variable 'y' (100% confidence)"\nexit 3`,
    );
    const result = await runGate(deadCodeGate, BASE, EDITS, { settings: { dead_code_min_confidence: 70 } });
    expect(result).toMatchObject({
      outcome: 'failed',
      facts: { vulture: '2.14', findings_error: 1, findings_existing: 1 },
    });
    expect(result.findings[0]).toEqual({
      file: 'a.py',
      line: 2,
      rule: 'vulture',
      message: "unused variable 'y'",
    });
  });

  test('asks a tool about the base only where it complains about the patch', async () => {
    const asked = join(createTemporaryFolder(), 'asked');
    withTool(
      'vulture',
      `echo >> ${asked}\ngrep -q y a.py && { echo "a.py:2: unused variable 'y' (100% confidence)"; exit 3; }\nexit 0`,
    );
    const times = async (edits: Record<string, string>): Promise<number> => {
      writeFileSync(asked, '');
      expect((await runGate(deadCodeGate, BASE, edits)).facts).toMatchObject({ vulture: '2.14' });
      return readFileSync(asked, 'utf8').length;
    };
    expect(await times({ 'a.py': 'def f(x): pass\n\n' })).toBe(1);
    expect(await times(EDITS)).toBe(2);
  });

  test('takes nothing from a tool that breaks', async () => {
    withTool('vulture', 'echo "a.py:2: unused (99% confidence)"; exit 2');
    const result = await runGate(deadCodeGate, BASE, EDITS);
    expect(result).toMatchObject({ outcome: 'passed', facts: { vulture: '2.14, gave no report' } });
  });

  test('asks knip only where the project uses it', async () => {
    withTool(
      'knip',
      `echo '{"files":[],"issues":[{"file":"a.ts","exports":[{"name":"b","line":2}],"types":[]}]}'; exit 1`,
    );
    const base = { 'a.ts': 'export const a = 1;\n' };
    const edits = {
      'a.ts': 'export const a = 1;\nexport const b = 1;\n',
      'package.json': '{"devDependencies":{"knip":"5"}}',
    };
    expect((await runGate(deadCodeGate, base, edits)).facts).not.toHaveProperty('knip');
    const uses = { ...base, 'package.json': '{"devDependencies":{"knip":"5.0.0"}}' };
    expect(await runGate(deadCodeGate, uses, edits)).toMatchObject({
      outcome: 'passed',
      facts: { knip: '2.14', findings_existing: 1 },
    });
  });

  test('reads the files that knip names among the issues, as it does since version 6', async () => {
    withTool('knip', `echo '{"issues":[{"file":"b.ts","files":[{"name":"b.ts"}]}]}'; exit 1`);
    const result = await runGate(
      deadCodeGate,
      { 'package.json': '{"devDependencies":{"knip":"6.0.0"}}' },
      { 'b.ts': 'export const b = 1;\n' },
    );
    // The stand-in says the same about the base, where the file is not yet.
    expect(result.findings).toMatchObject([{ file: 'b.ts', rule: 'knip' }]);
  });

  test('runs the command of the configuration besides', async () => {
    const run = (command: string) =>
      runGate(deadCodeGate, BASE, EDITS, { settings: { dead_code_command: command } });
    expect(await run('exit 0')).toMatchObject({ outcome: 'passed', kind: 'executed' });
    expect(await run('exit 1')).toMatchObject({ outcome: 'failed' });
    expect(await run('no-such-tool-at-all')).toMatchObject({ outcome: 'could_not_run' });
  });
});

test('moving code makes nothing new, and adding to it makes only that new', () => {
  const issue = fc.record({
    rule: fc.constantFrom('a', 'b'),
    key: fc.constantFrom('x', 'y', 'z'),
    line: fc.nat(),
    message: fc.string(),
  });
  fc.assert(
    fc.property(fc.array(issue), fc.array(issue), (old, more) => {
      const moved = old.map((each) => ({ ...each, line: each.line + 7 }));
      expect(compareCodeIssues('f', old, moved).every(({ severity }) => severity === 'existing')).toBe(true);
      const fails = compareCodeIssues('f', old, [...moved, ...more]).filter(
        ({ severity }) => severity === 'error',
      );
      expect(fails).toHaveLength(more.length);
    }),
  );
});

test('says so when the time is over', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [`m${at}.py`, `x = ${at}\n`.repeat(2_000)]),
  );
  const result = await runGate(deadCodeGate, {}, files, { context: { timeoutMs: 0 } });
  expect(result.outcome).toBe('timed_out');
});
