import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics';
import { FUNCTION_ENV_NAMES, METRIC_NAMES } from '../../shared/contract/resource-names.ts';
import type { Task } from '../../shared/contract/task/task.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';

/** Tells CloudWatch of completions that were counted. Both counts are always sent, so that the ratio has a numerator also when it is zero. */
export function createVerifiedCompletionMetrics() {
  const metrics = new Metrics({
    namespace: readOptionalEnv(FUNCTION_ENV_NAMES.metricsNamespace, METRIC_NAMES.namespace),
    serviceName: METRIC_NAMES.service,
  });
  return {
    onCompletion(task: Task): void {
      metrics.addMetric(METRIC_NAMES.completions, MetricUnit.Count, 1);
      metrics.addMetric(METRIC_NAMES.unverifiedCompletions, MetricUnit.Count, task.verified === true ? 0 : 1);
    },
    /** At the end of an invocation. */
    publish(): void {
      if (metrics.hasStoredMetrics()) metrics.publishStoredMetrics();
    },
  };
}
