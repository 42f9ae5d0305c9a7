import { describe, expect, it } from 'vitest';
import { parseGoDoc } from '../../gates/rules/comment-quality/go-docs.ts';
import { parseDocstring } from '../../gates/rules/comment-quality/python-docs.ts';
import { normalizeCopyrightHolder } from '../../gates/rules/dlp-scan/project-license.ts';
import { findPythonMigrationProblems } from '../../gates/rules/migration-reversibility/python-migrations.ts';
import { isScratchFile } from '../../gates/rules/suppressions/code/scratch-file.ts';
import { rustZeroValue } from '../../gates/tests/experiments/perturbations/rewrite-functions.ts';
import { findUngroundedClaims } from '../../shared/reviews/review/grounding.ts';

const LENGTH = 200_000;
const spaces = ' '.repeat(LENGTH);
const MIGRATION = `from alembic import op\n\ndef upgrade():\n    if${spaces}x:\n        op.drop_table('a')\n`;

/** Text of a patch, a task or a model for which a pattern once tried every way to divide it. */
const CASES: Readonly<Record<string, () => unknown>> = {
  // 60 underscores took longer than any time limit: the number of ways doubled with each.
  'a file that is named debug and many underscores': () => isScratchFile(`debug${'_'.repeat(4_000)}!`),
  'a condition of a migration with many spaces': () =>
    findPythonMigrationProblems('migrations/versions/a.py', MIGRATION),
  'a Go comment with a line of spaces': () => parseGoDoc(`F does.\n${spaces}x`),
  'a docstring with an entry and many spaces': () => parseDocstring(`F.\n\nArgs:\n    a${spaces}x\n`),
  'a copyright holder in many angle brackets': () => normalizeCopyrightHolder('<'.repeat(LENGTH)),
  'a copyright holder with many spaces': () => normalizeCopyrightHolder(`a${spaces}b`),
  'a claim with a long number': () => findUngroundedClaims(`It is ${'1'.repeat(LENGTH)}x.`),
  'a result type with many spaces': () => rustZeroValue(`Result<a${spaces}`),
};

describe('patterns that read untrusted text', () => {
  it.each(Object.entries(CASES))('take time that grows with the length only: %s', (_name, read) => {
    const before = process.cpuUsage();
    read();
    const { user, system } = process.cpuUsage(before);
    expect((user + system) / 1_000).toBeLessThan(1_500);
  });

  it('know scratch files as before', () => {
    for (const path of ['debug.py', 'a/debug_it-2.js', 'reproduce_x.ts', 'tmp-a_b.c', 'x.orig', 'a~', '.#a'])
      expect(isScratchFile(path), path).toBe(true);
    for (const path of ['debugger.py', 'a/debugx_y.js', 'tmp/a.c', 'template.html', 'debug_'])
      expect(isScratchFile(path), path).toBe(false);
  });
});
