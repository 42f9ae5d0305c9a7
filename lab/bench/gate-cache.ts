import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCheck } from '../../cli/check/run-check.ts';
import { createTestRepository } from '../../test/support/git-repository.ts';

export interface GateCacheResult {
  /** Milliseconds of `assay check` when nothing is remembered, and when everything is. */
  readonly first_ms: number;
  readonly second_ms: number;
  /** Second in parts of the first; it is to be under 0.05. */
  readonly share: number;
  /** Gates of the second run whose result was remembered, of those that came to a result. */
  readonly cached: number;
  readonly gates: number;
}

const TEST_FILES = 60;

/** How much of a first run a second one costs on an unchanged tree: a suite of sixty small test files and what runs by default. */
export async function measureGateCache(): Promise<GateCacheResult> {
  const test = (index: number): string =>
    `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { value } from '../src/m${index}.mjs';\ntest('value', () => assert.equal(value, ${index}));\n`;
  const repository = createTestRepository({
    'assay.yaml': 'quality_gates:\n  tests: true\n  test_command: node --test\n',
    ...Object.fromEntries(
      Array.from({ length: TEST_FILES }, (_, index) => [
        [`src/m${index}.mjs`, `export const value = ${index};\n`],
        [`test/m${index}.test.mjs`, test(index)],
      ]).flat() as [string, string][],
    ),
  });
  writeFileSync(join(repository.dir, 'src/new.mjs'), 'export const added = 1;\n');
  const look = async () => {
    const started = performance.now();
    const { evidence } = await runCheck({ repo: repository.dir, base: 'main' });
    return { ms: performance.now() - started, evidence };
  };
  const first = await look();
  const second = await look();
  const ran = second.evidence.gates.filter(({ outcome }) => outcome === 'passed' || outcome === 'failed');
  return {
    first_ms: Math.round(first.ms),
    second_ms: Math.round(second.ms),
    share: second.ms / first.ms,
    cached: ran.filter((gate) => gate.cached).length,
    gates: ran.length,
  };
}

if (import.meta.main) console.log(JSON.stringify(await measureGateCache()));
