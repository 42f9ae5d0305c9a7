import { formatDollars } from '../../shared/lib/format.ts';
import { type BillRow, type CallCounts, sumBill } from './aws-bill.ts';
import { AWS_PRICES } from './aws-prices.ts';
import type { BundleResult } from './bundles.ts';
import { formatMs, type ResultSection, type ResultTable } from './result-page.ts';
import type { LatencyResult } from './task-latency.ts';

/** Figures of the embedded stack. */
export interface StackResult {
  readonly alone: LatencyResult;
  readonly together: LatencyResult;
  /** How many tasks `counters` and `bill` are of. */
  readonly counted_tasks: number;
  readonly counters: CallCounts;
  readonly bill: readonly BillRow[];
  readonly bundles: readonly BundleResult[];
}

/** What the figures are to be; they are printed beside what was measured, met or not. */
export const STACK_TARGETS = { p50_ms: 300, usd_per_1000_tasks: 0.5, bundle_bytes: 300_000 } as const;

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} KB`;

const latencyTable = ({ alone, together }: StackResult): ResultTable => [
  ['at once', 'tasks', 'p50', 'p99', 'tasks/s', 'accepted', 'agent box', 'gates box', 'verdict'],
  ...[alone, together].map((each, index) => [
    index === 0 ? '1' : String(each.tasks),
    String(each.tasks),
    formatMs(each.p50_ms),
    formatMs(each.p99_ms),
    each.tasks_per_second.toFixed(2),
    formatMs(each.phases_ms.accepted),
    formatMs(each.phases_ms.agent),
    formatMs(each.phases_ms.gates),
    formatMs(each.phases_ms.verdict),
  ]),
];

const costTable = (result: StackResult): ResultTable => [
  ['per task', 'quantity', 'USD per 1,000 tasks', 'billed by'],
  ...result.bill.map(({ name, quantity, unit, usd }) => [
    name,
    (quantity / result.counted_tasks).toFixed(quantity / result.counted_tasks < 1 ? 4 : 1),
    `$${((usd / result.counted_tasks) * 1_000).toFixed(4)}`,
    unit,
  ]),
  ['all', '', formatDollars(computeUsdPer1000Tasks(result)), ''],
];

const requestTable = (result: StackResult): ResultTable => [
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

const bundleTable = ({ bundles }: StackResult): ResultTable => [
  ['function', 'raw', 'gzip', 'import'],
  ...bundles.map((each) => [
    each.name,
    kilobytes(each.bytes),
    kilobytes(each.gzip_bytes),
    formatMs(each.import_ms),
  ]),
];

export const computeUsdPer1000Tasks = (result: StackResult): number =>
  (sumBill(result.bill) / result.counted_tasks) * 1_000;

/** Each aim, what was measured, and whether it is met. */
export function compareWithTargets(result: StackResult): ResultTable {
  const largest = result.bundles.reduce<BundleResult | null>(
    (most, each) => (most && most.bytes >= each.bytes ? most : each),
    null,
  );
  const met = (is: boolean): string => (is ? 'met' : 'missed');
  return [
    ['aim', 'measured', ''],
    [
      `p50 under ${STACK_TARGETS.p50_ms} ms for one task that does nothing`,
      formatMs(result.alone.p50_ms),
      met(result.alone.p50_ms < STACK_TARGETS.p50_ms),
    ],
    [
      `control plane under ${formatDollars(STACK_TARGETS.usd_per_1000_tasks)} per 1,000 tasks`,
      formatDollars(computeUsdPer1000Tasks(result)),
      met(computeUsdPer1000Tasks(result) < STACK_TARGETS.usd_per_1000_tasks),
    ],
    [
      `each bundle under ${kilobytes(STACK_TARGETS.bundle_bytes)}`,
      largest === null
        ? 'none'
        : `${largest.name}: ${kilobytes(largest.bytes)} raw, ${kilobytes(largest.gzip_bytes)} gzip`,
      largest === null
        ? ''
        : `${met(largest.bytes < STACK_TARGETS.bundle_bytes)} raw, ${met(largest.gzip_bytes < STACK_TARGETS.bundle_bytes)} gzip`,
    ],
  ];
}

/** The figures of the stack, as they are printed. */
export const renderStackSections = (result: StackResult): ResultSection[] => [
  ['Aims', compareWithTargets(result)],
  ['Submit to verdict, on the embedded stack', latencyTable(result)],
  [`Control plane, at the prices of ${AWS_PRICES.asOf}`, costTable(result)],
  ['Counted', requestTable(result)],
  ['Bundles', bundleTable(result)],
];
