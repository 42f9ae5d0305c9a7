import type { Edit } from '../checkout/edit.ts';

/** Tests that whoever asked for the work keeps to himself: only the gates box ever has them. */
export type HiddenTests = readonly Edit[];
