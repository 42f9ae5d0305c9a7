import { describe, expect, test } from 'vitest';
import { autoFormatGate } from '../../gates/gates/auto-format.ts';
import { type FileContents, type FileEdits, runGate } from '../support/patch-fixture.ts';
import { listMissingPrograms } from '../support/test-tools.ts';

interface Case {
  readonly what: string;
  readonly needs: string;
  readonly base: FileContents;
  readonly edits: FileEdits;
  readonly files: readonly string[];
}

const CASES: readonly Case[] = [
  {
    what: 'Python with ruff, and only what the patch changes',
    needs: 'ruff',
    base: { 'old.py': 'x=1\n', 'a.py': 'x = 1\n' },
    edits: { 'a.py': 'x=2\n', 'b c.py': 'y = 1\n', "d'\n.py": 'z=1\n' },
    files: ['a.py', "d'\n.py"],
  },
  {
    what: 'Go with gofmt',
    needs: 'gofmt',
    base: { 'a.go': 'package a\n' },
    edits: { 'a.go': 'package a\nfunc  F() {}\n', 'b.go': 'package a\n' },
    files: ['a.go'],
  },
  {
    what: 'Rust with rustfmt',
    needs: 'rustfmt',
    base: { 'Cargo.toml': '[package]\nname = "a"\nedition = "2021"\n' },
    edits: { 'src/a.rs': 'pub  fn f(){}\n', 'src/b.rs': 'pub fn g() {}\n' },
    files: ['src/a.rs'],
  },
];

describe('the formatters', () => {
  const missing = listMissingPrograms(CASES);

  for (const { what, needs, base, edits, files } of CASES)
    test.skipIf(missing.includes(needs))(`look at ${what}`, async () => {
      const result = await runGate(autoFormatGate, base, edits);
      expect(result).toMatchObject({
        outcome: 'passed',
        facts: { tool: needs, findings_info: files.length },
      });
      expect(result.findings.map(({ file, rule }) => [file, rule])).toEqual(
        files.map((file) => [file, 'not_formatted']),
      );
    });

  test.skipIf(missing.includes('ruff'))('that cannot read a file could not run and never fail', async () => {
    expect(await runGate(autoFormatGate, { 'a.py': '' }, { 'a.py': 'def (:\n' })).toMatchObject({
      outcome: 'could_not_run',
    });
  });

  test('leave alone what they do not know', async () => {
    expect(await runGate(autoFormatGate, { 'a.txt': '' }, { 'a.txt': 'x' })).toMatchObject({
      outcome: 'skipped',
    });
    expect(await runGate(autoFormatGate, { 'a.py': '' }, { 'a.py': null })).toMatchObject({
      outcome: 'skipped',
    });
  });

  test('run before all other gates and are never required', () => {
    expect(autoFormatGate).toMatchObject({ isFormatter: true, required: false, enabledByDefault: false });
  });
});
