import type { Outcome } from './run.ts';

export interface Record {
  readonly runs: number;
  readonly events: number;
  /** Calls from one part to another: each may go wrong. */
  readonly calls: number;
  readonly faults: number;
  readonly virtual_days: number;
  readonly tasks: number;
  readonly boxes: number;
  readonly delivered: number;
  readonly by_status: Readonly<{ [status: string]: number }>;
  /** Of this process. */
  readonly cpu_seconds: number;
}

/** What many runs come to. */
export class Sum {
  readonly #started = process.cpuUsage();
  readonly #statuses: { [status: string]: number } = {};
  readonly #sums = { runs: 0, events: 0, calls: 0, faults: 0, seconds: 0, tasks: 0, boxes: 0, delivered: 0 };

  add(outcome: Outcome): void {
    this.#sums.runs++;
    for (const name of ['events', 'calls', 'faults', 'seconds', 'tasks', 'boxes', 'delivered'] as const)
      this.#sums[name] += outcome[name];
    for (const [status, count] of Object.entries(outcome.statuses))
      this.#statuses[status] = (this.#statuses[status] ?? 0) + count;
  }

  record(): Record {
    const { user, system } = process.cpuUsage(this.#started);
    const { seconds, ...sums } = this.#sums;
    return {
      ...sums,
      virtual_days: Math.round(seconds / 8_640) / 10,
      by_status: this.#statuses,
      cpu_seconds: Math.round((user + system) / 1e5) / 10,
    };
  }
}
