import { sha256 } from '../tokens.ts';
import type { Task } from './task.ts';

/** Whose work a task is: what shares are counted by. A name of its own length, with none of the characters that a queue refuses. */
export const submitterOf = (task: Pick<Task, 'created_by'>): string => sha256(task.created_by).slice(0, 32);

/** What submitters hold of one place, and until when (epoch seconds) it is known that some of them wait for room there. */
export interface Shares {
  readonly held: ReadonlyMap<string, number>;
  readonly waiting: ReadonlyMap<string, number>;
}

/** Seconds for which one that waits is kept room for: longer than it stays away. */
export const WAIT_SECONDS = 60;
/** Seconds after which one asks again that has less than another. */
export const NEXT_SECONDS = 30;

const heldBy = ({ held }: Shares, submitter: string): number => held.get(submitter) ?? 0;

/**
 * May `submitter` take room that is free? Not while another waits that has less: so that who has asked for little has it soon, however much
 * another has asked for. Whoever has least of those that wait always may, so that no room stays empty for ever.
 */
export const mayTake = (submitter: string, shares: Shares, nowSeconds: number): boolean =>
  ![...shares.waiting].some(
    ([other, until]) =>
      other !== submitter && until >= nowSeconds && heldBy(shares, other) < heldBy(shares, submitter),
  );

/** Is the next room that becomes free meant for `submitter`? */
export const isNext = (submitter: string, shares: Shares): boolean =>
  [...shares.held].some(([other, held]) => other !== submitter && held > heldBy(shares, submitter));
