import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ENV, METRICS } from '../../shared/contract/names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import type { Derived } from '../../shared/control/ledger/derive.ts';
import { isOpenFault } from '../../shared/control/ledger/judgement-rows.ts';
import { LOSSES, lossesOf, spentBy } from '../../shared/control/ledger/losses.ts';
import { optionalEnv } from '../../shared/store/env.ts';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];
interface Write {
  readonly before: Task | null;
  readonly after: Task | null;
}

const metrics = new Metrics({
  namespace: optionalEnv(ENV.metricsNamespace, METRICS.namespace),
  serviceName: METRICS.service,
});

/** How many of each loss; each is sent twice: for all together, which the alarm looks at, and by its reason. */
function countLosses(losses: readonly string[]): void {
  if (losses.length > 0) metrics.addMetric(METRICS.lostBoxes, MetricUnit.Count, losses.length);
  for (const reason of LOSSES) {
    const found = losses.filter((loss) => loss === reason).length;
    if (found === 0) continue;
    const single = metrics.singleMetric();
    single.addDimension(METRICS.reason, reason);
    single.addMetric(METRICS.lostBoxes, MetricUnit.Count, found);
  }
}

/**
 * Tells CloudWatch of what a batch of writes tells. A re-delivered batch counts again: these are for dashboards and for alarms where one
 * too many is no harm; the counts of the unverified alarm are made once, by the conductor.
 */
export function countWrites(writes: readonly Write[], rows: readonly Derived[]): void {
  const add = (name: string, value: number, unit: Unit = MetricUnit.Count): void => {
    if (value > 0) metrics.addMetric(name, unit, value);
  };
  const after = writes.flatMap((write) =>
    write.after ? [{ before: write.before, after: write.after }] : [],
  );
  const chains = rows.flatMap((each) => (each.table === 'cascade_chains' ? [each.row.attempts] : []));
  add(
    METRICS.attempts,
    chains.reduce((sum, attempts) => sum + attempts.length, 0),
  );
  add(METRICS.escalations, chains.flat().filter(({ escalated }) => escalated).length);
  add(METRICS.failures, rows.filter((each) => each.table === 'tasks' && each.row.status === 'failed').length);
  add(
    METRICS.budgetStops,
    rows.filter((each) => each.table === 'tasks' && each.row.failure_code === 'budget_exhausted').length,
  );
  add(
    METRICS.gatesInert,
    rows.filter((each) => each.table === 'quality_gates' && each.row.outcome === 'inert').length,
  );
  add(
    METRICS.openGateFaults,
    rows.filter((each) => each.table === 'judgements' && isOpenFault(each.row)).length,
  );
  add(METRICS.referrals, after.filter((write) => write.after.hold && !write.before?.hold).length);
  add(
    METRICS.costUsd,
    after.reduce((sum, write) => sum + spentBy(write.before, write.after), 0),
    MetricUnit.NoUnit,
  );
  countLosses(after.flatMap((write) => lossesOf(write.before, write.after)));
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}
