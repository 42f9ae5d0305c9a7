import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { countOomKills } from '../../../workspace/process/oom-kills.ts';

const folder = mkdtempSync(join(tmpdir(), 'assay-oom-'));
afterAll(() => rmSync(folder, { recursive: true }));

it('counts the processes that the kernel has killed because memory ran out', async () => {
  const file = join(folder, 'memory.events');
  writeFileSync(file, 'low 0\noom 4\noom_kill 3\noom_group_kill 0\n');
  expect(await countOomKills([join(folder, 'none'), file])).toBe(3);
  expect(await countOomKills([join(folder, 'none')])).toBe(0);
});
