import type { Entry } from '../../checkout/changes.ts';

/** A path on both sides of the patch. */
export interface Side {
  readonly path: string;
  readonly base: Entry | null;
  readonly head: Entry | null;
}
