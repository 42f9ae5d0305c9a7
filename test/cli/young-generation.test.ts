import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const MODULE = join(import.meta.dirname, '../../cli/young-generation.ts');

/** Bytes of the young generation of a program that keeps much of what it makes. */
const youngOf = (first: string): number =>
  Number(
    execFileSync(process.execPath, [
      '--input-type=module',
      '--eval',
      `import { getHeapSpaceStatistics } from 'node:v8';
      ${first}
      const kept = [];
      for (let i = 0; i < 300_000; i++) kept.push({ i, text: [String(i)] });
      const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
      console.log(kept.length > 0 ? young.space_size : 0);`,
    ]).toString(),
  );

test('a check does not let its young generation grow', () => {
  const grown = youngOf('');
  const small = youngOf(`(await import(${JSON.stringify(MODULE)})).keepYoungGenerationSmall();`);
  expect(small).toBeGreaterThan(0);
  expect(small).toBeLessThan(grown / 3);
});
