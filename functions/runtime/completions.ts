import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { ENV, METRICS } from '../../shared/contract/names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { optionalEnv } from '../../shared/store/env.ts';

/** Tells CloudWatch of completions that were counted. Both counts are always sent, so that the ratio has a numerator also when it is zero. */
export function completionMetrics() {
  const metrics = new Metrics({
    namespace: optionalEnv(ENV.metricsNamespace, METRICS.namespace),
    serviceName: METRICS.service,
  });
  return {
    onCompletion(task: Task): void {
      metrics.addMetric(METRICS.completions, MetricUnit.Count, 1);
      metrics.addMetric(METRICS.unverifiedCompletions, MetricUnit.Count, task.verified === true ? 0 : 1);
    },
    /** At the end of an invocation. */
    publish(): void {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}
