import * as z from 'zod';
import { ApiResponds, FileContains, GlobExists, PathExists, TestPasses } from './signals.ts';

/** Signals that the author of a pull request may name. No model is asked about one: whoever opens pull requests would spend the money. */
export const AUTHOR_SIGNAL_TYPES = [
  'path_exists',
  'glob_exists',
  'file_contains',
  'test_passes',
  'api_responds',
] as const;
export const AuthorSignalType = z.enum(AUTHOR_SIGNAL_TYPES);
export type AuthorSignalType = z.infer<typeof AuthorSignalType>;
export const MAX_AUTHOR_SIGNALS = 20;
/** A signal of the author of a pull request, in its named form. */
export const AuthorSignal = z.discriminatedUnion('type', [
  PathExists,
  GlobExists,
  FileContains,
  TestPasses,
  ApiResponds,
]);
export type AuthorSignal = z.infer<typeof AuthorSignal>;
