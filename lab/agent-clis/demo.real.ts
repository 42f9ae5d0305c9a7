import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { MODEL_PROVIDER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { INSTALLED_CLIS } from './installed-clis.ts';

const MAIN = join(import.meta.dirname, '../../cli/main.ts');
const withoutKeys = Object.fromEntries(
  Object.entries(process.env).filter(
    ([name]) => !Object.values(MODEL_PROVIDER_ENV_NAMES).some(({ key, url }) => name === key || name === url),
  ),
);

it.each(INSTALLED_CLIS.filter((kind) => kind === 'claude' || kind === 'codex'))(
  'the demo with the real %s ends as the scripted one does, and says whose models it had',
  (kind) => {
    const { stdout, stderr } = spawnSync(process.execPath, [MAIN, 'demo', '--agent', kind, '--json'], {
      encoding: 'utf8',
      env: withoutKeys,
    });
    const { agent, unexpected, folder } = JSON.parse(stdout) as Record<string, unknown>;
    rmSync(String(folder), { recursive: true, force: true, maxRetries: 5 });
    expect(stderr).toContain('with scripted models on this machine');
    expect({ agent, unexpected }).toEqual({ agent: { kind, models: 'scripted' }, unexpected: [] });
  },
);
