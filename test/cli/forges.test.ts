import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CliError } from '../../cli/exit.ts';
import { buildForgeEnvironment, readForgeSettings } from '../../cli/forge-settings.ts';
import { takeForgePassthrough } from '../../local/env-passthrough.ts';
import { EMBEDDED_FORGE_SECRET_VARIABLE, FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';

const cwd = mkdtempSync(join(tmpdir(), 'forges-'));
const FILE = '- { url: https://github.com/acme, forge: github }\n';
const SECRET = JSON.stringify({
  credentials: [
    { url: 'https://github.com/acme', token: 'github_pat_hush', webhook_secret: 'hush, hush, hush' },
  ],
});

function read(text: string, secret: string | undefined = SECRET): Record<string, string> {
  writeFileSync(join(cwd, 'forges.yaml'), text);
  const env = secret ? { [EMBEDDED_FORGE_SECRET_VARIABLE]: secret } : {};
  return buildForgeEnvironment(readForgeSettings('forges.yaml', { cwd, env }));
}

describe('forges of a stack on this machine', () => {
  it('are read from a file, and only the functions that call forges get their secret', () => {
    const environment: NodeJS.ProcessEnv = { ...read(FILE), [EMBEDDED_FORGE_SECRET_VARIABLE]: SECRET };
    const lent = takeForgePassthrough(environment);
    expect(environment).toEqual({});
    expect(JSON.parse(lent[FUNCTION_ENV_NAMES.forges]?.[FUNCTION_ENV_NAMES.forges] ?? '')).toMatchObject([
      { forge: 'github', label: 'assay' },
    ]);
    expect(lent[FUNCTION_ENV_NAMES.forgeSecret]?.[EMBEDDED_FORGE_SECRET_VARIABLE]).toBe(SECRET);
    expect(JSON.stringify(lent[FUNCTION_ENV_NAMES.forges])).not.toContain('hush');
  });

  it.each([
    ['no forge', '[]', SECRET, 'Too small'],
    ['a forge that there is not', FILE.replace(': github }', ': bitbucket }'), SECRET, '0.forge'],
    ['no secret', FILE, '', `${EMBEDDED_FORGE_SECRET_VARIABLE} is not set`],
    ['a secret that is no JSON', FILE, 'hush', `${EMBEDDED_FORGE_SECRET_VARIABLE}: /`],
    ['a short webhook secret', FILE, SECRET.replace('hush, hush, hush', 'hush'), '/credentials/0'],
    ['a secret for others', FILE.replace('acme', 'other'), SECRET, 'none for https://github.com/other'],
  ])('are refused with %s, by name and without what is secret', (_what, text, secret, name) => {
    let told = '';
    try {
      read(text, secret);
    } catch (error) {
      told = error instanceof CliError ? JSON.stringify(error.details) : String(error);
    }
    expect(told).toContain(name);
    expect(told).not.toContain('hush');
  });

  it('take no effect without a file, and none start without a secret', () => {
    expect(takeForgePassthrough({ [EMBEDDED_FORGE_SECRET_VARIABLE]: SECRET })).toEqual({});
    expect(() => takeForgePassthrough({ [FUNCTION_ENV_NAMES.forges]: '[]' })).toThrow(
      EMBEDDED_FORGE_SECRET_VARIABLE,
    );
  });
});
