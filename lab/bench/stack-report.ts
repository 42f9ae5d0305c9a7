import { dollars } from '../../shared/lib/format.ts';
import type { BundleFigures } from './bundles.ts';
import { type BillRow, type Snapshot, total } from './cost.ts';
import type { LatencyFigures } from './latency.ts';
import { ms, type Section, type Table } from './page.ts';
import { PRICES } from './prices.ts';

/** Figures of the embedded stack. */
export interface StackFigures {
  readonly alone: LatencyFigures;
  readonly together: LatencyFigures;
  /** How many tasks `counters` and `bill` are of. */
  readonly counted_tasks: number;
  readonly counters: Snapshot;
  readonly bill: readonly BillRow[];
  readonly bundles: readonly BundleFigures[];
}

/** What the figures are to be; they are printed beside what was measured, met or not. */
export const AIMS = { p50_ms: 300, usd_per_1000_tasks: 0.5, bundle_bytes: 300_000 } as const;

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} KB`;

const latencyTable = ({ alone, together }: StackFigures): Table => [
  ['at once', 'tasks', 'p50', 'p99', 'tasks/s', 'accepted', 'agent box', 'gates box', 'verdict'],
  ...[alone, together].map((each, index) => [
    index === 0 ? '1' : String(each.tasks),
    String(each.tasks),
    ms(each.p50_ms),
    ms(each.p99_ms),
    each.tasks_per_second.toFixed(2),
    ms(each.phases_ms.accepted),
    ms(each.phases_ms.agent),
    ms(each.phases_ms.gates),
    ms(each.phases_ms.verdict),
  ]),
];

const costTable = (result: StackFigures): Table => [
  ['per task', 'quantity', 'USD per 1,000 tasks', 'billed by'],
  ...result.bill.map(({ name, quantity, unit, usd }) => [
    name,
    (quantity / result.counted_tasks).toFixed(quantity / result.counted_tasks < 1 ? 4 : 1),
    `$${((usd / result.counted_tasks) * 1_000).toFixed(4)}`,
    unit,
  ]),
  ['all', '', dollars(usdPer1000(result)), ''],
];

const requestTable = (result: StackFigures): Table => [
  ['service', 'operation', 'per task'],
  ...Object.entries(result.counters).flatMap(([service, operations]) =>
    Object.entries(operations).map(([operation, amount]) => [
      service,
      // CloudFormation ends logical ids in a hash.
      operation.replace(/[0-9A-F]{8}$/, ''),
      (amount / result.counted_tasks).toFixed(2),
    ]),
  ),
];

const bundleTable = ({ bundles }: StackFigures): Table => [
  ['function', 'raw', 'gzip', 'import'],
  ...bundles.map((each) => [
    each.name,
    kilobytes(each.bytes),
    kilobytes(each.gzip_bytes),
    ms(each.import_ms),
  ]),
];

export const usdPer1000 = (result: StackFigures): number =>
  (total(result.bill) / result.counted_tasks) * 1_000;

/** Each aim, what was measured, and whether it is met. */
export function verdicts(result: StackFigures): Table {
  const largest = result.bundles.reduce<BundleFigures | null>(
    (most, each) => (most && most.bytes >= each.bytes ? most : each),
    null,
  );
  const met = (is: boolean): string => (is ? 'met' : 'missed');
  return [
    ['aim', 'measured', ''],
    [
      `p50 under ${AIMS.p50_ms} ms for one task that does nothing`,
      ms(result.alone.p50_ms),
      met(result.alone.p50_ms < AIMS.p50_ms),
    ],
    [
      `control plane under ${dollars(AIMS.usd_per_1000_tasks)} per 1,000 tasks`,
      dollars(usdPer1000(result)),
      met(usdPer1000(result) < AIMS.usd_per_1000_tasks),
    ],
    [
      `each bundle under ${kilobytes(AIMS.bundle_bytes)}`,
      largest === null
        ? 'none'
        : `${largest.name}: ${kilobytes(largest.bytes)} raw, ${kilobytes(largest.gzip_bytes)} gzip`,
      largest === null
        ? ''
        : `${met(largest.bytes < AIMS.bundle_bytes)} raw, ${met(largest.gzip_bytes < AIMS.bundle_bytes)} gzip`,
    ],
  ];
}

/** The figures of the stack, as they are printed. */
export const stackSections = (result: StackFigures): Section[] => [
  ['Aims', verdicts(result)],
  ['Submit to verdict, on the embedded stack', latencyTable(result)],
  [`Control plane, at the prices of ${PRICES.asOf}`, costTable(result)],
  ['Counted', requestTable(result)],
  ['Bundles', bundleTable(result)],
];
