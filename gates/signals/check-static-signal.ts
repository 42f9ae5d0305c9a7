import { stat } from 'node:fs/promises';
import type { CheckOutcome } from '../../shared/contract/check-outcome.ts';
import {
  type CompletionSignal,
  isModelJudgedSignal,
  type ModelJudgedSignal,
} from '../../shared/contract/submission/signals.ts';
import { findFirstGlobMatch } from './find-glob.ts';
import { FolderListingCache } from './folder-listing-cache.ts';
import { locateInCheckout } from './locate-in-checkout.ts';
import { searchLiteral } from './search-file.ts';
import { REGEX_TIMEOUT_MS, searchRegexInWorker } from './search-regex-in-worker.ts';

/** The signals that are answered by looking at files; `test_passes` and `api_responds` run a command instead, and judged ones ask a model. */
export type StaticSignal = Exclude<
  CompletionSignal,
  ModelJudgedSignal | { type: 'test_passes' | 'api_responds' }
>;

export interface StaticSignalResult {
  readonly outcome: CheckOutcome;
  readonly detail: string;
}

const passed = (detail: string): StaticSignalResult => ({ outcome: 'passed', detail });
const failed = (detail: string): StaticSignalResult => ({ outcome: 'failed', detail });
const LEAVES = 'leaves the checkout through a symbolic link, which is not followed';

export const isStaticSignal = (signal: CompletionSignal): signal is StaticSignal =>
  signal.type !== 'test_passes' && signal.type !== 'api_responds' && !isModelJudgedSignal(signal);

/**
 * Looks at the checkout for one signal.
 * @param root real path of the checkout.
 * @param timeoutMs longest time for a regular expression; `listing`: what is known of the checkout's folders.
 */
export async function checkStaticSignal(
  root: string,
  signal: StaticSignal,
  { timeoutMs = REGEX_TIMEOUT_MS, listing = new FolderListingCache(root) } = {},
): Promise<StaticSignalResult> {
  switch (signal.type) {
    case 'path_exists': {
      const found = await locateInCheckout(root, signal.path);
      if (found.kind === 'leaves') return failed(`${signal.path} ${LEAVES}`);
      return found.kind === 'found' ? passed('exists') : failed('not found');
    }
    case 'glob_exists': {
      const found = await findFirstGlobMatch(root, signal.pattern, { listing });
      if (found.kind === 'matched') return passed(`matched ${found.path}`);
      if (found.kind === 'leaves') return failed(`${found.path} ${LEAVES}`);
      return found.kind === 'none'
        ? failed('no matches')
        : {
            outcome: 'inert',
            detail: 'no match among the first entries; the checkout has too many to search',
          };
    }
    case 'file_contains':
      return fileContains(root, signal, timeoutMs);
  }
}

async function fileContains(
  root: string,
  signal: Extract<StaticSignal, { type: 'file_contains' }>,
  timeoutMs: number,
): Promise<StaticSignalResult> {
  const found = await locateInCheckout(root, signal.path);
  if (found.kind === 'leaves') return failed(`${signal.path} ${LEAVES}`);
  if (found.kind === 'missing') return failed('file not found');
  if (!(await stat(found.path)).isFile()) return failed('not a regular file');
  const search =
    signal.regex === undefined
      ? await searchLiteral(found.path, signal.contains ?? '')
      : await searchRegexInWorker(found.path, signal.regex, timeoutMs);
  if (search === 'found') return passed('found');
  if (search === 'timed_out')
    return { outcome: 'timed_out', detail: `matching took longer than ${timeoutMs} ms` };
  return search === 'not_found'
    ? failed('not found')
    : {
        outcome: 'inert',
        detail: 'not found in the first part of the file; it is too large to search whole',
      };
}
