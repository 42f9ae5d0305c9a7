import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView } from '../framework/rule.ts';
import type { DetectorSeverity } from '../scan/detector.ts';
import { scanPatch } from '../scan/patch-scan.ts';
import type { ContentScanner } from '../scan/scanner.ts';
import { getAllSecretsScanner } from './all-secrets-scanner.ts';

/** How long the examples of a rule may take, in milliseconds; gates have limits of their own. */
const LIMIT_MS = 60_000;

/** What a scanner sees in a patch. @param fails whether a rule fails a gate at a severity. */
export async function findScanFindings(
  { store, changes }: PatchView,
  scanner: ContentScanner,
  fails: (rule: string, severity: DetectorSeverity) => boolean,
): Promise<readonly GateFinding[]> {
  const { matches } = await scanPatch({
    store,
    changes,
    scanner,
    redactor: { scan: (...args) => getAllSecretsScanner().scan(...args) },
    deadline: readThreadCpuMs() + LIMIT_MS,
  });
  return matches.map(({ path, line, rule, title, severity, excerpt, isPreexisting }) => ({
    file: path,
    line,
    rule,
    message: `${severity}: ${title}: ${excerpt}`,
    severity: isPreexisting ? 'existing' : fails(rule, severity) ? 'error' : 'info',
  }));
}
