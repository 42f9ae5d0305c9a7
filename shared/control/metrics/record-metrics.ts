import type { DerivedRow } from '../ledger/derive-rows.ts';
import { addRecordToDailyMetrics, type DailyMetrics, EMPTY_DAILY_METRICS } from './daily-metrics.ts';
import { isInMetricsBreakdown } from './metrics-breakdown.ts';

/** Records that are counted together, once: the gates of an attempt, the end of a task, a person's word. */
export interface RecordMetricsGroup {
  /** The same whenever the records come again. */
  readonly id: string;
  /** YYYY-MM-DD, the records' own. */
  readonly date: string;
  readonly metrics: DailyMetrics;
}

function idOf(derived: DerivedRow): string | null {
  switch (derived.table) {
    case 'quality_gates':
      return `${derived.row.task_id}#${derived.row.attempt}#gates`;
    case 'cascade_chains':
    case 'cascade_attempts':
      return `${derived.row.chain_id}#end`;
    case 'reviews':
      return derived.row.record_id;
    case 'verification_nudges':
      return `${derived.row.record_id}#completion`;
    case 'work_outcomes':
      return isInMetricsBreakdown(derived) ? derived.row.record_id : null;
    case 'tasks':
      // Most changes of a status are counted nowhere, and must not cost a write.
      return isInMetricsBreakdown(derived) ? derived.row.record_id : null;
    default:
      return null;
  }
}

/** What is to be counted of the records of one write. */
export function deriveRecordMetricsGroups(records: readonly DerivedRow[]): RecordMetricsGroup[] {
  const facts = new Map<string, RecordMetricsGroup>();
  // A write may be in a batch twice.
  const once = new Map(records.map((each) => [`${each.table} ${each.row.record_id}`, each]));
  for (const derived of once.values()) {
    const id = idOf(derived);
    if (id === null) continue;
    const fact = facts.get(id) ?? { id, date: derived.date, metrics: EMPTY_DAILY_METRICS };
    facts.set(id, { ...fact, metrics: addRecordToDailyMetrics(fact.metrics, derived) });
  }
  return [...facts.values()];
}
