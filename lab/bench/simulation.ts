import { availableParallelism } from 'node:os';
import { countFaults, type SimulationRecord } from '../simulator/simulation-record.ts';
import { spawnSimulations } from '../simulator/spawn-simulation.ts';
import { CALL_FAULTS } from '../simulator/world/call-faults.ts';
import type { ResultSection } from './result-page.ts';

const RUNS = 10_000;
const SEED = 1;

export interface SimulationResult {
  readonly seed: number;
  readonly processes: number;
  readonly wall_s: number;
  readonly record: SimulationRecord;
}

/** What is promised, and by which names the oracle says that it is broken. */
const PROMISES = {
  'tasks lost': [
    'no task is lost',
    'an accepted report stays',
    'passed work is delivered',
    'every execution ends',
    'every run comes to rest',
  ],
  'delivered, counted or launched twice': [
    'delivered once',
    'completions are counted once',
    'each completion in the ledger once',
    'one box of an attempt at a time',
    'one attempt at a time',
    'files held once',
  ],
  'delivered without a passing verdict on that base and tree': [
    'delivered with a passing verdict',
    'delivered on a base of the platform',
    'verified by gates of ours',
    'done with a passing verdict',
    'work is bound to the base of its task',
  ],
} as const;

/** What the oracle found broken, by kind; and all others. */
export function countBrokenInvariants({
  broken,
}: Pick<SimulationRecord, 'broken'>): readonly (readonly [string, number])[] {
  const count = (names: readonly string[]): number =>
    names.reduce((sum, name) => sum + (broken[name] ?? 0), 0);
  const known: readonly string[] = Object.values(PROMISES).flat();
  return [
    ...Object.entries(PROMISES).map(([name, of]) => [name, count(of)] as const),
    ['any other promise broken', count(Object.keys(broken).filter((name) => !known.includes(name)))],
  ];
}

/** All runs of one seed, dealt out among the machine's cores; it goes on behind broken promises, and counts them. */
export async function benchSimulation(say: (line: string) => void): Promise<SimulationResult> {
  const processes = availableParallelism();
  say(`${RUNS} simulated runs of seed ${SEED} in ${processes} processes`);
  const started = performance.now();
  const { record } = await spawnSimulations({ runs: RUNS, seed: SEED, processes }, [
    '--enough',
    String(RUNS),
    '--no-shrink',
  ]);
  return { seed: SEED, processes, wall_s: (performance.now() - started) / 1_000, record };
}

const whole = (value: number): string => Math.round(value).toLocaleString('en');
const words = (name: string): string => name.replaceAll('_', ' ');

export function renderSimulationSections({
  seed,
  processes,
  wall_s,
  record,
}: SimulationResult): ResultSection[] {
  const row = (name: string, value: number): readonly string[] => [name, whole(value)];
  const { by_status: statuses } = record;
  return [
    [
      `What held in ${whole(record.runs)} runs of seed ${seed}`,
      [
        ['promise', 'times broken'],
        ...countBrokenInvariants(record).map(([name, times]) => row(name, times)),
      ],
    ],
    [
      'What was looked at',
      [
        ['of', 'number'],
        row('steps (events)', record.events),
        row('calls between parts', record.calls),
        row('virtual days', record.virtual_days),
        row('tasks', record.tasks),
        ...Object.keys(statuses)
          .toSorted((a, b) => (a < b ? -1 : 1))
          .map((name) => row(`tasks at rest: ${words(name)}`, statuses[name] ?? 0)),
        row('boxes', record.boxes),
        row('writes of tasks', record.writes),
        row('pushes', record.pushes),
        row('branches delivered', record.delivered),
      ],
    ],
    [
      'What went wrong on purpose',
      [
        ['fault', 'number'],
        ...CALL_FAULTS.map((name) => row(`calls: ${words(name)}`, record.faults[name] ?? 0)),
        row('all calls', countFaults(record)),
        row('batches of a stream that came twice', record.redelivered),
        row('outages of a service', record.outages),
        row('power cuts', record.power_cuts),
      ],
    ],
    [
      'What it took',
      [['of', 'seconds'], row(`wall, in ${processes} processes`, wall_s), row('CPU', record.cpu_seconds)],
    ],
  ];
}
