import * as z from 'zod';

/** Refuses what git would read as an option or as something other than a plain ref or commit. */
export const GitRef = z
  .string()
  .min(1)
  .max(255)
  // What may be in it is listed, because JSON Schema's patterns know no `\p{Cc}` to leave out: all but blanks, controls and ~^:?*[\
  .regex(
    /^(?!-)(?!.*\.\.)(?!.*@\{)(?!.*\s)[!-)+-9;->@-Z\]_-}\u00a1-\uffff]+$/,
    'must be a plain branch, tag or commit',
  );
/** A full object id: of SHA-1, or of SHA-256. */
export const GitObjectId = z.string().regex(/^[0-9a-f]{40}([0-9a-f]{24})?$/, 'must be a full git object id');
