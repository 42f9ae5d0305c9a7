import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { depAuditGate } from '../../gates/gates/dep-audit.ts';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { runGate } from '../support/patch-fixture.ts';

/** An audit tool that prints what it finds in the tree; the real ones ask a database that changes every day. */
function recorded(program: string, body: string): void {
  const folder = createTemporaryFolder();
  writeFileSync(
    join(folder, program),
    `#!/bin/sh\n[ "$1" = --version ] && { echo "9.8.7"; exit 0; }\n${body}\n`,
  );
  chmodSync(join(folder, program), 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
}

const npmReport = (...names: readonly string[]): string =>
  JSON.stringify({
    vulnerabilities: Object.fromEntries(
      names.map((name) => [
        name,
        { via: [{ name, title: 'T', url: `https://example.org/${name}-1`, range: '<2', severity: 'high' }] },
      ]),
    ),
  });

const LOCK = { 'package.json': '{"name": "x"}', 'package-lock.json': '{"lockfileVersion": 3}' };
const NEW_LOCK = { 'package-lock.json': '{"lockfileVersion": 3, "packages": {}}' };

describe('the audit of dependencies', () => {
  test('fails for a hole that the patch brings, and reports the one that was there', async () => {
    recorded(
      'npm',
      `grep -q packages package-lock.json && echo '${npmReport('old', 'new')}' || echo '${npmReport('old')}'; exit 1`,
    );
    const result = await runGate(depAuditGate, LOCK, NEW_LOCK);
    expect(result).toMatchObject({
      outcome: 'failed',
      facts: { tool: 'npm', tool_version: '9.8.7', findings_error: 1, findings_existing: 1 },
    });
    expect(result.findings.map(({ rule }) => rule)).toEqual(['new-1', 'old-1']);
  });

  test('passes when the patch brings no new hole', async () => {
    recorded('npm', `echo '${npmReport('old')}'; exit 1`);
    expect(await runGate(depAuditGate, LOCK, NEW_LOCK)).toMatchObject({ outcome: 'passed' });
  });

  test('that cannot reach its database neither passes nor fails', async () => {
    recorded('npm', 'echo \'{"error": {"code": "ENOTFOUND"}}\'; exit 1');
    expect(await runGate(depAuditGate, LOCK, NEW_LOCK)).toMatchObject({ outcome: 'infra_failed' });
  });

  test('that says nothing has not passed', async () => {
    recorded('npm', 'exit 0');
    expect(await runGate(depAuditGate, LOCK, NEW_LOCK)).toMatchObject({ outcome: 'could_not_run' });
  });

  test('whose program is missing could not run and says how to get it', async () => {
    vi.stubEnv('PATH', '/usr/bin:/bin');
    const result = await runGate(
      depAuditGate,
      { 'Cargo.toml': '[package]\nname = "a"\n' },
      { 'Cargo.toml': '[package]\nname = "b"\n' },
    );
    expect(result).toMatchObject({
      outcome: 'could_not_run',
      detail: 'cargo-audit is not installed in the prepared checkout; to get it: cargo install cargo-audit',
    });
  });
});
