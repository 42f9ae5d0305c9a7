import type { BypassEntry } from './configuration/config-schema.ts';
import type { GateBypass } from './gate-runner.ts';

/**
 * The bypasses of the configuration that hold for a task now. One whose time is up does nothing: its gate runs again.
 * @param task id of the task; null when none is known, and then only those for every task hold.
 */
export const selectActiveBypasses = (
  entries: readonly BypassEntry[],
  task: string | null,
  now: Date,
): GateBypass[] =>
  entries
    .filter((entry) => (entry.task === '*' || entry.task === task) && now < endOf(entry.until))
    .map(({ gate, by, reason, task: of, until }) => ({ gate, actor: by, reason, task: of, until }));

const DAY_MS = 86_400_000;

/** A day counts to its end. */
const endOf = (until: string): Date =>
  until.includes('T') ? new Date(until) : new Date(Date.parse(until) + DAY_MS);
