import { AsyncLocalStorage } from 'node:async_hooks';
import type { ProcessResult } from '../../workspace/process/run-process.ts';

/** What the runs of tests of one gate have cost, on all trees together. */
export interface TestRunCosts {
  readonly runs: number;
  /** In milliseconds of CPU time; of the clock where the system does not tell CPU time. */
  readonly cpuMs: number;
}

const current = new AsyncLocalStorage<{ runs: number; cpuMs: number }>();

/** Does the work of a gate, and adds up the runs of tests that it starts. A run that another gate started counts there. */
export async function trackTestRunCosts<Value>(
  work: () => Promise<Value>,
): Promise<{ readonly value: Value; readonly costs: TestRunCosts }> {
  const costs = { runs: 0, cpuMs: 0 };
  const value = await current.run(costs, work);
  return { value, costs };
}

/** Adds one run of tests to the costs of the gate that started it. */
export function recordTestRun({ cpuMs, durationMs }: Pick<ProcessResult, 'cpuMs' | 'durationMs'>): void {
  const costs = current.getStore();
  if (costs === undefined) return;
  costs.runs++;
  costs.cpuMs += cpuMs ?? durationMs;
}
