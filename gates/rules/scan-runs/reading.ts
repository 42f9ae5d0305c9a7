import { ownCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { Seen } from '../../core/seen.ts';
import type { PatchView } from '../framework/rule.ts';
import { scanChanges } from '../scan/changes.ts';
import type { Severity } from '../scan/detector.ts';
import type { Scanner } from '../scan/scanner.ts';
import { everySecret } from './redactor.ts';

/** How long the examples of a rule may take, in milliseconds; gates have limits of their own. */
const LIMIT_MS = 60_000;

/** What a scanner sees in a patch. @param fails whether a rule fails a gate at a severity. */
export async function scanSeen(
  { store, changes }: PatchView,
  scanner: Scanner,
  fails: (rule: string, severity: Severity) => boolean,
): Promise<readonly Seen[]> {
  const { located } = await scanChanges({
    store,
    changes,
    scanner,
    redactor: { scan: (...args) => everySecret().scan(...args) },
    deadline: ownCpuMs() + LIMIT_MS,
  });
  return located.map(({ path, line, rule, title, severity, excerpt, before }) => ({
    file: path,
    line,
    rule,
    message: `${severity}: ${title}: ${excerpt}`,
    weight: before ? 'before' : fails(rule, severity) ? 'fails' : 'reported',
  }));
}
