import type { Change } from '../../../workspace/git/changes.ts';
import { ownCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { Level } from '../../core/rule-settings.ts';
import { NO_SETTINGS } from '../../core/rule-settings.ts';
import { setLevelsOf, weakenedFacts } from '../framework/levels.ts';
import type { RuleCard } from '../framework/rule.ts';
import { type Located, scanChanges } from '../scan/changes.ts';
import type { Detector } from '../scan/detector.ts';
import { redacted } from '../scan/redact.ts';
import { reportScan } from '../scan/report.ts';
import { Scanner } from '../scan/scanner.ts';
import { pathTest } from '../scan/settings.ts';
import { everySecret } from './redactor.ts';

export interface RunScanOptions {
  readonly detectors: readonly Detector[];
  /** Where to look; nothing means everywhere. */
  readonly paths: readonly string[];
  readonly ignorePaths: readonly string[];
  readonly fails: (located: Located) => boolean;
  /** Rules whose levels the base may set. */
  readonly rules: readonly RuleCard[];
}

/** Scans the patch of a subject. */
export async function runScan(
  { subject, timeoutMs, rules: settings = NO_SETTINGS }: GateContext,
  options: RunScanOptions,
): Promise<GateResult> {
  const deadline = ownCpuMs() + timeoutMs;
  const within = pathTest(options.paths.length === 0 ? ['.'] : options.paths);
  const ignored = pathTest(options.ignorePaths);
  const wanted = (change: Change): boolean => within(change.path) && !ignored(change.path);
  const changes = subject.changes.filter(wanted);
  const redactor = { scan: (...args: Parameters<Scanner['scan']>) => everySecret().scan(...args) };
  const scan = await scanChanges({
    store: subject.store,
    changes,
    scanner: new Scanner(options.detectors),
    redactor,
    deadline,
  });
  const setLevel = setLevelsOf(settings);
  // What is set for a rule comes before what the switches of the gate say of its kind.
  const level = ({ rule, path }: Located): Level | null => setLevel(rule, path);
  const located = scan.located.filter((each) => level(each) !== 'off');
  const withSecretName = new Set(located.filter(({ line }) => line === null).map(({ path }) => path));
  const result = reportScan(
    { ...scan, located },
    {
      fails: (each) => (level(each) ?? (options.fails(each) ? 'block' : 'report')) === 'block',
      holds: (each) => level(each) === 'hold',
      ignored: subject.changes.length - changes.length,
      showPath: (path) => (withSecretName.has(path) ? redacted(path, redactor) : path),
    },
  );
  return { ...result, metadata: { ...result.metadata, ...weakenedFacts(options.rules, settings) } };
}
