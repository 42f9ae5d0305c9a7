import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { BeliefStore } from '../../shared/store/beliefs.ts';
import { CircuitBreakerStore } from '../../shared/store/circuit-breakers.ts';
import { ClaimIntentStore } from '../../shared/store/claim-intents.ts';
import { CompletionStore } from '../../shared/store/completions.ts';
import { DailyMetricsStore } from '../../shared/store/daily-metrics.ts';
import { DeadLetterStore } from '../../shared/store/dead-letters.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { createDocumentClient } from '../../shared/store/document-client.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { FileHealthStore } from '../../shared/store/file-health.ts';
import { FileLockStore } from '../../shared/store/file-locks.ts';
import { HeartbeatStore } from '../../shared/store/heartbeats.ts';
import { MergedWorkStore } from '../../shared/store/merged-work.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { ProviderCooldownStore } from '../../shared/store/provider-cooldowns.ts';
import { TaskCountStore } from '../../shared/store/task-counts.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { TuningStore } from '../../shared/store/tuning.ts';
import { UploadQuotaStore } from '../../shared/store/upload-quota.ts';
import { WorkRequestStore } from '../../shared/store/work-requests.ts';

export interface Stores {
  readonly db: DynamoDBDocumentClient;
  readonly table: string;
  readonly tasks: TaskStore;
  readonly deadlines: DeadlineStore;
  readonly locks: FileLockStore;
  readonly taskCounts: TaskCountStore;
  readonly completions: CompletionStore;
  readonly dailyMetrics: DailyMetricsStore;
  readonly fileHealth: FileHealthStore;
  readonly breakers: CircuitBreakerStore;
  readonly uploads: UploadQuotaStore;
  readonly claims: ClaimIntentStore;
  readonly heartbeats: HeartbeatStore;
  readonly beliefs: BeliefStore;
  readonly tuning: TuningStore;
  readonly spend: ModelSpendStore;
  readonly deadLetters: DeadLetterStore;
  readonly workRequests: WorkRequestStore;
  readonly providerCooldowns: ProviderCooldownStore;
  readonly mergedWork: MergedWorkStore;
}

/** The stores on the one table; made once per execution environment. */
export function createStores(): Stores {
  const db = createDocumentClient();
  const table = requireEnv(FUNCTION_ENV_NAMES.table);
  const tasks = new TaskStore(db, table);
  return {
    db,
    table,
    tasks,
    deadlines: new DeadlineStore(db, table),
    locks: new FileLockStore(db, table, tasks),
    taskCounts: new TaskCountStore(db, table),
    completions: new CompletionStore(db, table),
    dailyMetrics: new DailyMetricsStore(db, table),
    fileHealth: new FileHealthStore(db, table),
    breakers: new CircuitBreakerStore(db, table),
    uploads: new UploadQuotaStore(db, table),
    claims: new ClaimIntentStore(db, table),
    heartbeats: new HeartbeatStore(db, table),
    beliefs: new BeliefStore(db, table),
    tuning: new TuningStore(db, table),
    spend: new ModelSpendStore(db, table),
    deadLetters: new DeadLetterStore(db, table),
    workRequests: new WorkRequestStore(db, table),
    providerCooldowns: new ProviderCooldownStore(db, table),
    mergedWork: new MergedWorkStore(db, table),
  };
}
