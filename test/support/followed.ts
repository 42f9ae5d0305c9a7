import type { FollowContext } from '../../shared/use-cases/cascade/follow.ts';
import { NOW } from './builders.ts';
import type { testTable } from './dynalite.ts';

/** What follows from writes of a table, without machines, breakers and forges. */
export const followedOn = (table: Awaited<ReturnType<typeof testTable>>): FollowContext => ({
  ...table,
  breakers: { mark: async () => undefined },
  landed: { put: async () => undefined },
  machines: { start: async () => {}, wake: async () => true } as never,
  cascadeMachine: 'arn',
  now: () => NOW,
  onCompletion: () => {},
});
