import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { FUNCTION_ENV_NAMES, METRIC_NAMES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import {
  addedModelCostUsd,
  CONTAINER_LOSSES,
  newContainerLosses,
} from '../../shared/control/ledger/container-losses.ts';
import type { DerivedRow } from '../../shared/control/ledger/derive-rows.ts';
import { isFailedOpen } from '../../shared/control/ledger/judgement-rows.ts';
import { optionalEnv } from '../../shared/store/env.ts';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];
interface Write {
  readonly before: Task | null;
  readonly after: Task | null;
}

const metrics = new Metrics({
  namespace: optionalEnv(FUNCTION_ENV_NAMES.metricsNamespace, METRIC_NAMES.namespace),
  serviceName: METRIC_NAMES.service,
});

/** How many of each loss; each is sent twice: for all together, which the alarm looks at, and by its reason. */
function countLosses(losses: readonly string[]): void {
  if (losses.length > 0) metrics.addMetric(METRIC_NAMES.lostBoxes, MetricUnit.Count, losses.length);
  for (const reason of CONTAINER_LOSSES) {
    const found = losses.filter((loss) => loss === reason).length;
    if (found === 0) continue;
    const single = metrics.singleMetric();
    single.addDimension(METRIC_NAMES.reason, reason);
    single.addMetric(METRIC_NAMES.lostBoxes, MetricUnit.Count, found);
  }
}

/**
 * Tells CloudWatch of what a batch of writes tells. A re-delivered batch counts again: these are for dashboards and for alarms where one
 * too many is no harm; the counts of the unverified alarm are made once, by the conductor.
 */
export function publishWriteMetrics(writes: readonly Write[], rows: readonly DerivedRow[]): void {
  const add = (name: string, value: number, unit: Unit = MetricUnit.Count): void => {
    if (value > 0) metrics.addMetric(name, unit, value);
  };
  const after = writes.flatMap((write) =>
    write.after ? [{ before: write.before, after: write.after }] : [],
  );
  const chains = rows.flatMap((each) => (each.table === 'cascade_chains' ? [each.row.attempts] : []));
  add(
    METRIC_NAMES.attempts,
    chains.reduce((sum, attempts) => sum + attempts.length, 0),
  );
  add(METRIC_NAMES.escalations, chains.flat().filter(({ escalated }) => escalated).length);
  add(
    METRIC_NAMES.failures,
    rows.filter((each) => each.table === 'tasks' && each.row.status === 'failed').length,
  );
  add(
    METRIC_NAMES.budgetStops,
    rows.filter((each) => each.table === 'tasks' && each.row.failure_code === 'budget_exhausted').length,
  );
  add(
    METRIC_NAMES.gatesInert,
    rows.filter((each) => each.table === 'quality_gates' && each.row.outcome === 'inert').length,
  );
  add(
    METRIC_NAMES.openGateFaults,
    rows.filter((each) => each.table === 'judgements' && isFailedOpen(each.row)).length,
  );
  add(METRIC_NAMES.referrals, after.filter((write) => write.after.hold && !write.before?.hold).length);
  add(
    METRIC_NAMES.costUsd,
    after.reduce((sum, write) => sum + addedModelCostUsd(write.before, write.after), 0),
    MetricUnit.NoUnit,
  );
  countLosses(after.flatMap((write) => newContainerLosses(write.before, write.after)));
  if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
}
