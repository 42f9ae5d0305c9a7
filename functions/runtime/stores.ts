import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { TierOutcomeStore } from '../../shared/store/beliefs.ts';
import { CircuitBreakerStore } from '../../shared/store/circuit-breakers.ts';
import { ClaimIntentStore } from '../../shared/store/claim-intents.ts';
import { TaskCompletionStore } from '../../shared/store/completions.ts';
import { DailyMetricsStore } from '../../shared/store/daily-metrics.ts';
import { DeadLetterStore } from '../../shared/store/dead-letters.ts';
import { DeadlineStore } from '../../shared/store/deadlines.ts';
import { createDocumentClient } from '../../shared/store/document-client.ts';
import { requireEnv } from '../../shared/store/env.ts';
import { FileHealthStore } from '../../shared/store/file-health.ts';
import { FileLockStore } from '../../shared/store/file-locks.ts';
import { HeartbeatStore } from '../../shared/store/heartbeats.ts';
import { ItemTable } from '../../shared/store/item-table.ts';
import { MergedWorkStore } from '../../shared/store/merged-work.ts';
import { ModelSpendStore } from '../../shared/store/model-spend.ts';
import { ProviderCooldownStore } from '../../shared/store/provider-cooldowns.ts';
import { TaskCountStore } from '../../shared/store/task-counts.ts';
import { TaskStore } from '../../shared/store/task-store.ts';
import { TuningStateStore } from '../../shared/store/tuning.ts';
import { UploadQuotaStore } from '../../shared/store/upload-quota.ts';
import { WorkRequestStore } from '../../shared/store/work-requests.ts';

export interface TableStores {
  readonly items: ItemTable;
  readonly tasks: TaskStore;
  readonly deadlines: DeadlineStore;
  readonly locks: FileLockStore;
  readonly taskCounts: TaskCountStore;
  readonly completions: TaskCompletionStore;
  readonly dailyMetrics: DailyMetricsStore;
  readonly fileHealth: FileHealthStore;
  readonly breakers: CircuitBreakerStore;
  readonly uploads: UploadQuotaStore;
  readonly claims: ClaimIntentStore;
  readonly heartbeats: HeartbeatStore;
  readonly beliefs: TierOutcomeStore;
  readonly tuning: TuningStateStore;
  readonly spend: ModelSpendStore;
  readonly deadLetters: DeadLetterStore;
  readonly workRequests: WorkRequestStore;
  readonly providerCooldowns: ProviderCooldownStore;
  readonly mergedWork: MergedWorkStore;
}

/** The stores on the one table; made once per execution environment. */
export function createStores(): TableStores {
  const items = new ItemTable(createDocumentClient(), requireEnv(FUNCTION_ENV_NAMES.table));
  const tasks = new TaskStore(items);
  return {
    items,
    tasks,
    deadlines: new DeadlineStore(items),
    locks: new FileLockStore(items, tasks),
    taskCounts: new TaskCountStore(items),
    completions: new TaskCompletionStore(items),
    dailyMetrics: new DailyMetricsStore(items),
    fileHealth: new FileHealthStore(items),
    breakers: new CircuitBreakerStore(items),
    uploads: new UploadQuotaStore(items),
    claims: new ClaimIntentStore(items),
    heartbeats: new HeartbeatStore(items),
    beliefs: new TierOutcomeStore(items),
    tuning: new TuningStateStore(items),
    spend: new ModelSpendStore(items),
    deadLetters: new DeadLetterStore(items),
    workRequests: new WorkRequestStore(items),
    providerCooldowns: new ProviderCooldownStore(items),
    mergedWork: new MergedWorkStore(items),
  };
}
