import type { StepFunctionsClient } from '../../shared/store/state-machines.ts';
import type { TaskProjectionContext } from '../../shared/use-cases/cascade/task-write-effects.ts';
import { FIXED_NOW } from './builders.ts';
import type { createTestTable } from './dynalite-table.ts';
import { stub } from './stub.ts';

/** What follows from writes of a table, without machines, breakers and forges. */
export const createFollowContext = (
  table: Awaited<ReturnType<typeof createTestTable>>,
): TaskProjectionContext => ({
  ...table,
  breakers: { recordMark: async () => undefined },
  mergedWork: { put: async () => undefined },
  pullRequests: { record: async () => null },
  stateMachines: stub<StepFunctionsClient>({ startExecution: async () => {} }),
  cascadeMachineArn: 'arn',
  now: () => FIXED_NOW,
  onCompletion: () => {},
});
