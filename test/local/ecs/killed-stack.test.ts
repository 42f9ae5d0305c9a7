import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { lifeline } from './lifeline.ts';

it('a stack that is killed takes its boxes with it', async () => {
  const life = await lifeline();
  const folder = await mkdtemp(join(tmpdir(), 'assay-killed-'));
  const stack = spawn(
    process.execPath,
    [fileURLToPath(new URL('killed-stack.ts', import.meta.url)), life.source],
    { stdio: ['ignore', 'inherit', 'inherit'], env: { ...process.env, TMPDIR: folder } },
  );
  const box = await life.connected;
  stack.kill('SIGKILL');
  await expect(box.ended).resolves.toBeDefined();
  life.close();
  await rm(folder, { recursive: true, force: true });
});
