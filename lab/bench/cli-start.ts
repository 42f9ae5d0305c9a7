import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTestRepository } from '../../test/support/git-repository.ts';
import { generateProject } from './data/generated-project.ts';
import { measureProcessCost, medianProcessCost, type ProcessCost } from './process-cost.ts';
import { formatMs, type ResultSection } from './result-page.ts';
import { median } from './statistics.ts';

const RUNS = 7;
const MAIN = join(import.meta.dirname, '../../cli/assay.js');

/** A command line for `sh -c` that does the same work in the folder of the project, such as a checkout of another version, or another tool. */
const AGAINST = process.env['ASSAY_BENCH_AGAINST'];

export interface CliStartResult {
  readonly rows: readonly {
    readonly name: string;
    readonly ours: ProcessCost;
    /** Of the command that ours is compared with; absent: none was named. */
    readonly theirs?: ProcessCost;
    /** Median of our CPU time in parts of theirs, pair by pair. */
    readonly ratio?: number;
  }[];
}

const CODE_GATES = ['dead_code_check', 'comment_quality_check', 'import_cycle_check', 'complexity_check'];
const CONFIG = `version: 1\nquality_gates:\n${CODE_GATES.map((key) => `  ${key}: true\n`).join('')}`;

/** What it costs to start the program, and to check a small project and one of 100,000 lines, beside another command where one is named. */
export async function benchCliStart(say: (line: string) => void): Promise<CliStartResult> {
  const rows: CliStartResult['rows'][number][] = [];
  const small = { 'a.js': 'export const a = 1;\n', 'b.py': 'def f():\n    return 1\n' };
  const large = generateProject(100_000, 50);
  const work: readonly [
    string,
    Record<string, string>,
    Readonly<Record<string, string>>,
    readonly string[],
  ][] = [
    ['assay --help', small, {}, ['--help']],
    ['assay check, a small project', small, { 'a.js': 'export const a = 2;\n' }, ['check', '--base', 'main']],
    [
      'assay check, 100,000 lines, gates that read code, nothing kept',
      { ...large.files, 'assay.yaml': CONFIG },
      large.patch,
      ['check', '--base', 'main', '--no-cache'],
    ],
    [
      'the same, everything kept',
      { ...large.files, 'assay.yaml': CONFIG },
      large.patch,
      ['check', '--base', 'main'],
    ],
  ];
  for (const [name, files, patch, args] of work) {
    say(name);
    const repository = createTestRepository(files);
    repository.write(patch);
    const ours: ProcessCost[] = [];
    const theirs: ProcessCost[] = [];
    // Once for the caches of the disk, of compiled code and of results.
    await measureProcessCost([process.execPath, MAIN, ...args], repository.dir);
    for (let run = 0; run < RUNS; run++) {
      ours.push(await measureProcessCost([process.execPath, MAIN, ...args], repository.dir));
      if (AGAINST) theirs.push(await measureProcessCost(['sh', '-c', AGAINST], repository.dir));
    }
    const pairs = theirs.map(({ cpu_ms }, index) => (ours[index]?.cpu_ms ?? 0) / cpu_ms);
    rows.push({
      name,
      ours: medianProcessCost(ours),
      ...(theirs.length > 0 && { theirs: medianProcessCost(theirs), ratio: median(pairs) }),
    });
    rmSync(repository.dir, { recursive: true, force: true });
  }
  return { rows };
}

export const renderCliStartSections = ({ rows }: CliStartResult): ResultSection[] => [
  [
    `Start, CPU and memory; medians of ${RUNS}`,
    [
      ['command', 'wall', 'CPU', 'peak memory', 'CPU of the other', 'ratio'],
      ...rows.map(({ name, ours, theirs, ratio }) => [
        name,
        formatMs(ours.wall_ms),
        formatMs(ours.cpu_ms),
        `${Math.round(ours.peak_mb)} MB`,
        theirs ? formatMs(theirs.cpu_ms) : '',
        ratio === undefined ? '' : ratio.toFixed(2),
      ]),
    ],
  ],
];
