import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  createTemporaryFolder,
  createTestRepository,
  type TestRepository,
} from '../../test/support/git-repository.ts';
import { generateProject } from './data/generated-project.ts';
import { type GateCacheResult, measureGateCache } from './gate-cache.ts';
import { median } from './statistics.ts';

/** One configuration, looked at by `assay check` as a user starts it: the time of its Node process is in it. */
export interface PipelineRun {
  readonly name: string;
  /** Median milliseconds when nothing is remembered, and when everything is. */
  readonly cold_ms: number;
  readonly cached_ms: number;
  /** Second in parts of the first; it is to be under 0.05. */
  readonly share: number;
  /** Of the last cold run. */
  readonly gates: readonly { readonly name: string; readonly outcome: string; readonly ms: number }[];
  /** Gates of the cached run whose result was remembered, of those that had one to remember. */
  readonly remembered: number;
  readonly rememberable: number;
}

export interface BaselineResult {
  /** Median milliseconds of the gate `tests` on a patch that breaks nothing: the base is not asked. */
  readonly green_ms: number;
  /** On a patch that breaks a test, when nothing is known of the base, and when it is. */
  readonly first_ms: number;
  readonly known_ms: number;
}

export interface GatePipelineResult {
  readonly lines: number;
  readonly bytes: number;
  readonly files: number;
  readonly changed_files: number;
  readonly repeats: number;
  readonly runs: readonly PipelineRun[];
  readonly baseline: BaselineResult;
  readonly inside: GateCacheResult;
}

const CONFIGURATIONS: readonly (readonly [name: string, settings: string])[] = [
  ['the default pipeline', ''],
  ['the default pipeline and the tests', '  tests: true\n  test_command: node --test\n'],
  [
    'every gate that needs no tool from outside',
    [
      'auto_format: true',
      'dead_code_check: true',
      'comment_quality_check: true',
      'import_cycle_check: true',
      'merge_conflict_check: true',
      'migration_reversibility_check: true',
      'large_file_check: true',
      'tests: true',
      'test_command: node --test',
    ]
      .map((line) => `  ${line}\n`)
      .join(''),
  ],
];

const MAIN = join(import.meta.dirname, '../../cli/assay.js');

interface PipelineRunTime {
  readonly ms: number;
  readonly gates: readonly {
    readonly name: string;
    readonly outcome: string;
    readonly cached: boolean;
    readonly duration_ms: number;
  }[];
}

/** Runs `assay check` in a process of its own; whatever the verdict is, it has to print one. */
async function look({ dir }: TestRepository, cache: string): Promise<PipelineRunTime> {
  const started = performance.now();
  const args = [MAIN, 'check', '--json', '--repo', dir, '--base', 'main', '--cache-dir', cache];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1e9 }).catch(
    (error: { readonly code?: unknown; readonly stdout: string; readonly stderr: string }) => {
      if (error.code === 1 || error.code === 3) return error;
      throw new Error(`assay check ended with ${String(error.code)}: ${error.stderr}`);
    },
  );
  const ms = performance.now() - started;
  return { ms, gates: (JSON.parse(stdout) as Pick<PipelineRunTime, 'gates'>).gates };
}

async function inFolder<Value>(use: (folder: string) => Promise<Value>): Promise<Value> {
  const folder = createTemporaryFolder('assay-bench-cache-');
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measure(name: string, repository: TestRepository, repeats: number): Promise<PipelineRun> {
  const looks: { readonly cold: PipelineRunTime; readonly cached: PipelineRunTime }[] = [];
  for (let repeat = 0; repeat < repeats; repeat++)
    looks.push(
      await inFolder(async (cache) => ({
        cold: await look(repository, cache),
        cached: await look(repository, cache),
      })),
    );
  const last = looks.at(-1);
  const cold = median(looks.map((each) => each.cold.ms));
  const cached = median(looks.map((each) => each.cached.ms));
  const rememberable = last?.cached.gates.filter(({ outcome }) => /^(passed|failed)$/.test(outcome)) ?? [];
  return {
    name,
    cold_ms: Math.round(cold),
    cached_ms: Math.round(cached),
    share: cached / cold,
    gates: (last?.cold.gates ?? []).map((gate) => ({
      name: gate.name,
      outcome: gate.outcome,
      ms: gate.duration_ms,
    })),
    remembered: rememberable.filter((gate) => gate.cached).length,
    rememberable: rememberable.length,
  };
}

/** Sixty test files, one of which a patch breaks. */
async function measureBaseline(repeats: number): Promise<BaselineResult> {
  const count = 60;
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      [`src/m${index}.mjs`, `export const value = ${index};\n`],
      [
        `test/m${index}.test.mjs`,
        `import assert from 'node:assert';\nimport { test } from 'node:test';\nimport { value } from '../src/m${index}.mjs';\ntest('value ${index}', () => assert.equal(value, ${index}));\n`,
      ],
    ]).flat() as [string, string][],
  );
  const repository = createTestRepository({
    ...files,
    'assay.yaml':
      'quality_gates: { tests: true, test_command: "node --test", pii_scan: false, dlp_scan: false }\n',
  });
  const testsOn = async (file: string, text: string, cache: string): Promise<number> => {
    repository.git('checkout', '--quiet', '--', '.');
    repository.write({ [file]: text });
    const { gates } = await look(repository, cache);
    return gates.find(({ name }) => name === 'tests')?.duration_ms ?? Number.NaN;
  };
  try {
    const green: number[] = [];
    const first: number[] = [];
    const known: number[] = [];
    for (let repeat = 0; repeat < repeats; repeat++)
      await inFolder(async (cache) => {
        green.push(await testsOn('src/m0.mjs', 'export const value = 1 - 1;\n', cache));
        first.push(await testsOn('src/m1.mjs', 'export const value = 0;\n', cache));
        known.push(await testsOn('src/m2.mjs', 'export const value = 0;\n', cache));
      });
    return { green_ms: median(green), first_ms: median(first), known_ms: median(known) };
  } finally {
    rmSync(repository.dir, { recursive: true, force: true });
  }
}

/** Measures the pipeline on a generated project of 100,000 lines and a patch of 50 files. Takes a few minutes. */
export async function benchPipeline(
  say: (line: string) => void,
  { lines = 100_000, changed = 50, repeats = 5 } = {},
): Promise<GatePipelineResult> {
  const { files, patch, ...facts } = generateProject(lines, changed);
  const runs: PipelineRun[] = [];
  for (const [name, settings] of CONFIGURATIONS) {
    say(name);
    const repository = createTestRepository({
      ...files,
      'assay.yaml': `quality_gates:\n  timeout_s: 600\n${settings}`,
    });
    try {
      repository.write(patch);
      runs.push(await measure(name, repository, repeats));
    } finally {
      rmSync(repository.dir, { recursive: true, force: true });
    }
  }
  say('the baseline of a suite of sixty test files');
  return {
    ...facts,
    files: Object.keys(files).length,
    changed_files: Object.keys(patch).length,
    repeats,
    runs,
    baseline: await measureBaseline(repeats),
    inside: await measureGateCache(),
  };
}
