import { rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { createTestRepository, type TestRepository } from '../../../test/support/git-repository.ts';
import { generatePythonProject } from '../data/generated-project.ts';
import { measureProcessCost, medianProcessCost, type ProcessCost } from '../process-cost.ts';
import { formatMs, type ResultSection } from '../result-page.ts';
import { median } from '../statistics.ts';

const RUNS = 3;
const MAIN = join(import.meta.dirname, '../../../cli/assay.js');
const DRIVER = join(import.meta.dirname, 'gates.py');

/** Python that has the peer: Bernstein, the nearest that there is; null: it is not measured. */
const PYTHON = process.env['ASSAY_BENCH_PEER'] ?? null;
const HOW =
  'python3.12 -m venv peer && peer/bin/pip install bernstein==3.23.0 vulture==2.16 ruff mypy pytest, then ASSAY_BENCH_PEER=$PWD/peer/bin/python';

/** The same gates, by the same names, in both. */
const READING = [
  'pii_scan',
  'dlp_scan',
  'dead_code',
  'comment_quality',
  'import_cycle',
  'merge_conflict',
  'migration_reversibility',
  'large_file',
];
const TOOLS = { lint: 'ruff check .', type_check: 'mypy steps', tests: 'python -m pytest -q' };

type Outcomes = Readonly<Record<string, string>>;
interface PeerRun {
  readonly cost: ProcessCost;
  readonly outcomes: Outcomes;
}

export interface PeerResult {
  /** Null: no peer was named. */
  readonly rows:
    | readonly {
        readonly name: string;
        readonly ours: ProcessCost;
        readonly theirs: ProcessCost;
        /** Median of our CPU time in parts of theirs, pair by pair. */
        readonly ratio: number;
        readonly outcomes: { readonly ours: Outcomes; readonly theirs: Outcomes };
      }[]
    | null;
}

/** What runs in both: the peer's programs come first on the path. */
const environment = (python: string): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${dirname(python)}${delimiter}${process.env['PATH']}`,
});

async function ours({ dir }: TestRepository, python: string, cache: boolean): Promise<PeerRun> {
  let outcomes: Outcomes = {};
  const command = [
    process.execPath,
    MAIN,
    'check',
    '--json',
    '--base',
    'main',
    ...(cache ? [] : ['--no-cache']),
  ];
  const look = (stdout: string): void => {
    const { gates } = JSON.parse(stdout) as { gates: { name: string; outcome: string }[] };
    outcomes = Object.fromEntries(gates.map(({ name, outcome }) => [name, outcome]));
  };
  return { cost: await measureProcessCost(command, dir, look, environment(python)), outcomes };
}

async function theirs(
  { dir, git }: TestRepository,
  python: string,
  cache: boolean,
  steps: readonly string[],
  commands: Readonly<Record<string, string>>,
): Promise<PeerRun> {
  let outcomes: Outcomes = {};
  // What it has kept for itself, and what its tools have: ours begin in a new checkout each time.
  if (!cache) git('clean', '-fdXq');
  const { lint, type_check, tests } = commands;
  const settings = {
    ...(lint && { lint_command: lint }),
    ...(tests && { test_command: tests }),
    cache_enabled: cache,
  };
  // Its own way for types knows one checker only.
  const own = type_check ? { type_check } : {};
  const look = (stdout: string): void => {
    outcomes = JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Outcomes;
  };
  const command = [python, DRIVER, JSON.stringify({ steps, commands: own, settings })];
  return { cost: await measureProcessCost(command, dir, look, environment(python)), outcomes };
}

/** What we do with tests beyond running them and the base's. */
const FURTHER_OFF = ['  perturbed_environment: false', '  mutants: { enabled: false }'];

const configOf = (
  steps: readonly string[],
  commands: Readonly<Record<string, string>>,
  more: readonly string[],
): string =>
  [
    'version: 1',
    'quality_gates:',
    '  timeout_s: 900',
    '  test_integrity: false',
    '  suppressions: false',
    ...more,
    '  pipeline:',
    ...steps.map((name) =>
      commands[name] ? `    - { name: ${name}, command: "${commands[name]}" }` : `    - name: ${name}`,
    ),
    '',
  ].join('\n');

/** Both on a generated project of 100,000 lines of Python and a patch of 50 files, each in a process of its own, in turns. */
export async function benchPeer(say: (line: string) => void): Promise<PeerResult> {
  if (PYTHON === null) {
    say(`no peer: ${HOW}`);
    return { rows: null };
  }
  const { files, patch } = generatePythonProject(100_000, 50);
  const tools = Object.keys(TOOLS);
  const work: readonly {
    readonly name: string;
    readonly steps: readonly string[];
    readonly commands?: Readonly<Record<string, string>>;
    readonly cache: boolean;
    readonly more?: readonly string[];
    /** Absent: as many as there are. */
    readonly runs?: number;
  }[] = [
    { name: 'eight gates that read, nothing kept', steps: READING, cache: false },
    { name: 'the same, everything kept', steps: READING, cache: true },
    {
      name: 'lint, types, tests here and on the base, nothing kept',
      steps: tools,
      commands: TOOLS,
      cache: false,
      more: FURTHER_OFF,
    },
    {
      name: 'the same with mutants and other surroundings, as we do by default (once)',
      steps: tools,
      commands: TOOLS,
      cache: false,
      runs: 1,
    },
    { name: 'the same, everything kept', steps: tools, commands: TOOLS, cache: true },
  ];
  const rows = [];
  for (const { name, steps, commands = {}, cache, more = [], runs = RUNS } of work) {
    say(name);
    const repository = createTestRepository({
      ...files,
      '.gitignore': '.sdd/\n__pycache__/\n.mypy_cache/\n.ruff_cache/\n.pytest_cache/\n',
      'assay.yaml': configOf(steps, commands, more),
    });
    // The peer looks at what is committed.
    repository.git('checkout', '--quiet', '-b', 'patch');
    repository.commit(patch);
    const pairs: { readonly ours: PeerRun; readonly theirs: PeerRun }[] = [];
    // Once for the caches of the disk, of compiled code and of results.
    for (let run = runs > 1 ? -1 : 0; run < runs; run++) {
      const pair = {
        ours: await ours(repository, PYTHON, cache),
        theirs: await theirs(repository, PYTHON, cache, steps, commands),
      };
      if (run >= 0) pairs.push(pair);
    }
    rows.push({
      name,
      ours: medianProcessCost(pairs.map((each) => each.ours.cost)),
      theirs: medianProcessCost(pairs.map((each) => each.theirs.cost)),
      ratio: median(pairs.map((each) => each.ours.cost.cpu_ms / each.theirs.cost.cpu_ms)),
      outcomes: {
        ours: pairs.at(-1)?.ours.outcomes ?? {},
        theirs: pairs.at(-1)?.theirs.outcomes ?? {},
      },
    });
    rmSync(repository.dir, { recursive: true, force: true });
  }
  return { rows };
}

const said = (outcomes: Outcomes): string =>
  Object.entries(Object.groupBy(Object.values(outcomes), (each) => each))
    .map(([outcome, all]) => `${all?.length} ${outcome}`)
    .join(', ');

export const renderPeerSections = ({ rows }: PeerResult): ResultSection[] =>
  rows === null
    ? []
    : [
        [
          `Beside Bernstein 3.23.0: 100,000 lines of Python, 50 files changed; medians of ${RUNS}`,
          [
            [
              'work',
              'our CPU',
              'their CPU',
              'ratio',
              'our time',
              'their time',
              'our peak',
              'their peak',
              'we say',
              'they say',
            ],
            ...rows.map((row) => [
              row.name,
              formatMs(row.ours.cpu_ms),
              formatMs(row.theirs.cpu_ms),
              row.ratio.toFixed(2),
              formatMs(row.ours.wall_ms),
              formatMs(row.theirs.wall_ms),
              `${Math.round(row.ours.peak_mb)} MB`,
              `${Math.round(row.theirs.peak_mb)} MB`,
              said(row.outcomes.ours),
              said(row.outcomes.theirs),
            ]),
          ],
        ],
      ];
