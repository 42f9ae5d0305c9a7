import { readFile } from 'node:fs/promises';

/** Files with the number of processes that the kernel killed because memory ran out: of the container, in versions 2 and 1 of cgroups. */
const COUNTERS = ['/sys/fs/cgroup/memory.events', '/sys/fs/cgroup/memory/memory.oom_control'];

/** Returns how many processes of this container the kernel has killed because memory ran out; 0 where it does not say. */
export async function countOomKills(files: readonly string[] = COUNTERS): Promise<number> {
  for (const file of files) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const count = /^oom_kill (\d+)$/m.exec(text)?.[1];
    if (count !== undefined) return Number(count);
  }
  return 0;
}
