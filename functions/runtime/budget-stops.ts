import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ENV, METRICS } from '../../shared/contract/names.ts';
import { optionalEnv } from '../../shared/store/env.ts';

/** Tells CloudWatch that models were not asked because of a budget: the alarm of launches that were refused looks at the same metric. */
export function budgetStops(): () => void {
  const metrics = new Metrics({
    namespace: optionalEnv(ENV.metricsNamespace, METRICS.namespace),
    serviceName: METRICS.service,
  });
  return () => {
    metrics.addMetric(METRICS.budgetStops, MetricUnit.Count, 1);
    metrics.publishStoredMetrics();
  };
}
