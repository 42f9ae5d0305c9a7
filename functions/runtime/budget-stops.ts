import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { FUNCTION_ENV_NAMES, METRIC_NAMES } from '../../shared/contract/resource-names.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';

/** Tells CloudWatch that models were not asked because of a budget: the alarm of launches that were refused looks at the same metric. */
export function createBudgetStopCounter(): () => void {
  const metrics = new Metrics({
    namespace: readOptionalEnv(FUNCTION_ENV_NAMES.metricsNamespace, METRIC_NAMES.namespace),
    serviceName: METRIC_NAMES.service,
  });
  return () => {
    metrics.addMetric(METRIC_NAMES.budgetStops, MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
  };
}
