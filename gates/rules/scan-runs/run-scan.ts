import type { FileChange } from '../../../workspace/git/file-changes.ts';
import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import type { RuleLevel } from '../../core/rule-settings.ts';
import { NO_RULE_SETTINGS } from '../../core/rule-settings.ts';
import type { RuleMetadata } from '../framework/rule.ts';
import { createConfiguredRuleLevelLookup, describeWeakenedRules } from '../framework/rule-levels.ts';
import type { Detector } from '../scan/detector.ts';
import { type PatchScanMatch, scanPatch } from '../scan/patch-scan.ts';
import { redactSecrets } from '../scan/redaction.ts';
import { buildScanGateResult } from '../scan/scan-report.ts';
import { createPathMatcher } from '../scan/scan-settings.ts';
import { ContentScanner } from '../scan/scanner.ts';
import { getAllSecretsScanner } from './all-secrets-scanner.ts';

export interface PatchScanGateOptions {
  readonly detectors: readonly Detector[];
  /** Where to look; nothing means everywhere. */
  readonly paths: readonly string[];
  readonly ignorePaths: readonly string[];
  readonly isError: (located: PatchScanMatch) => boolean;
  /** Rules whose levels the base may set. */
  readonly rules: readonly RuleMetadata[];
}

/** Scans the patch of a subject. */
export async function runPatchScanGate(
  { subject, timeoutMs, ruleSettings: settings = NO_RULE_SETTINGS }: GateContext,
  options: PatchScanGateOptions,
): Promise<GateResult> {
  const deadline = readThreadCpuMs() + timeoutMs;
  const within = createPathMatcher(options.paths.length === 0 ? ['.'] : options.paths);
  const ignored = createPathMatcher(options.ignorePaths);
  const wanted = (change: FileChange): boolean => within(change.path) && !ignored(change.path);
  const changes = subject.changes.filter(wanted);
  const redactor = {
    scan: (...args: Parameters<ContentScanner['scan']>) => getAllSecretsScanner().scan(...args),
  };
  const scan = await scanPatch({
    store: subject.store,
    changes,
    scanner: new ContentScanner(options.detectors),
    redactor,
    deadline,
  });
  const setLevel = createConfiguredRuleLevelLookup(settings);
  // What is set for a rule comes before what the switches of the gate say of its kind.
  const level = ({ rule, path }: PatchScanMatch): RuleLevel | null => setLevel(rule, path);
  const located = scan.matches.filter((each) => level(each) !== 'off');
  const withSecretName = new Set(located.filter(({ line }) => line === null).map(({ path }) => path));
  const result = buildScanGateResult(
    { ...scan, matches: located },
    {
      isError: (each) => (level(each) ?? (options.isError(each) ? 'error' : 'info')) === 'error',
      isWarning: (each) => level(each) === 'warning',
      ignoredFiles: subject.changes.length - changes.length,
      showPath: (path) => (withSecretName.has(path) ? redactSecrets(path, redactor) : path),
    },
  );
  return { ...result, facts: { ...result.facts, ...describeWeakenedRules(options.rules, settings) } };
}
