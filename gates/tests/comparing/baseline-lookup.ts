import type { GateContext } from '../../core/gate.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { type CacheEntryKey, computeCacheEntryKey } from '../../core/persistent-cache.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import {
  type BaselineResult,
  buildBaselineResult,
  CachedBaselineResult,
  toCachedBaselineResult,
} from './baseline-result.ts';

/** Asks the base the same question as the patch, once, and only when somebody needs the answer. */
export type BaselineResultProvider = () => Promise<BaselineResult>;

export interface BaselineCheckRequest {
  /** Everything that is asked besides the base itself: gate, line or tool, its version, folder. */
  readonly readCacheFacts: () => Promise<unknown>;
  /** A failure without a report is a tool that broke, and no answer. */
  readonly requiresReport?: boolean;
  /** Asks it. */
  readonly run: () => Promise<CompletedCommandRun>;
}

/** What the answer to a command line depends on. */
export const readCommandCacheInputs = async (
  { baseFile }: Pick<PatchToCheck, 'baseFile'>,
  line: string,
): Promise<unknown> => ({
  line,
  programs: await (await import('../running/program-identities.ts')).listProgramIdentities(
    line,
    await baseFile('package.json'),
  ),
});

/**
 * What the base answers is kept for its commit, and found again by everything that it depends on. What could not be determined
 * is not kept, and neither is anything where nobody knows what commands depend on here.
 * @returns null for a patch that changes nothing.
 */
export function createBaselineResultProvider(
  { subject, baselineCache = null, executionEnvironment = null }: GateContext,
  { readCacheFacts, run, requiresReport = false }: BaselineCheckRequest,
): BaselineResultProvider | null {
  // Who changes nothing says that the work was done already: then nothing excuses a failure.
  if (subject.changes.length === 0) return null;
  let asked: Promise<BaselineResult> | null = null;
  const ask = async (): Promise<BaselineResult> => {
    const key: CacheEntryKey | null =
      executionEnvironment &&
      computeCacheEntryKey('baselines', {
        schema: 3,
        ...executionEnvironment,
        base: subject.base,
        facts: await readCacheFacts(),
      });
    const known = key && baselineCache ? CachedBaselineResult.safeParse(await baselineCache.get(key)) : null;
    if (known?.success) return { ...known.data, isCached: true };
    const answer = buildBaselineResult(await run());
    const keep = toCachedBaselineResult(answer, requiresReport);
    if (key && keep) await baselineCache?.put(key, keep);
    return answer;
  };
  return () => {
    asked ??= ask();
    return asked;
  };
}
