import type { CheckFinding } from '../../../shared/contract/evidence/schema.ts';
import type { GateResult } from '../../core/gate.ts';
import type { PatchScanMatch, PatchScanResult } from './patch-scan.ts';
import { MAX_SCANNED_FILE_BYTES } from './patch-scan.ts';

export interface ScanReportOptions {
  /** Whether a new finding fails the gate. */
  readonly isError: (located: PatchScanMatch) => boolean;
  /** Whether a new finding is for a person to look at. */
  readonly isWarning?: (located: PatchScanMatch) => boolean;
  /** Files that the configuration of the base leaves out. */
  readonly ignoredFiles: number;
  /** Shows a path without what is secret in it. */
  readonly showPath: (path: string) => string;
}

/** Most findings that are listed; the counts are of all. */
const MAX_FINDINGS = 2_000;

/** What a gate says of a scan: it fails for what the patch adds, and holds for a person where it could not look. */
export function buildScanGateResult(scan: PatchScanResult, options: ScanReportOptions): GateResult {
  const { isError, ignoredFiles, showPath, isWarning = () => false } = options;
  const added = scan.matches.filter(({ isPreexisting }) => !isPreexisting);
  const failing = added.filter(isError);
  const held = added.filter(isWarning).length;
  const before = scan.matches.length - added.length;
  const files = new Set(failing.map(({ path }) => path)).size;
  const unread = scan.tooLargeFiles.length;
  const outcome =
    failing.length > 0
      ? 'failed'
      : scan.timedOut
        ? 'timed_out'
        : unread > 0 || held > 0
          ? 'could_not_run'
          : // A scan of nothing shows nothing.
            scan.scannedFiles === 0 && scan.matches.length === 0
            ? 'skipped'
            : ('passed' as const);
  const order = (located: PatchScanMatch): number => (located.isPreexisting ? 2 : isError(located) ? 0 : 1);
  // Those that fail first, so that a long list loses none of them.
  const listed = [...scan.matches].sort((a, b) => order(a) - order(b)).slice(0, MAX_FINDINGS);
  const said = [
    `${count(failing.length, 'finding')} in ${count(files, 'file')} ${failing.length === 1 ? 'fails' : 'fail'}`,
    ...(held > 0 ? [`${held} for a person to look at`] : []),
    `${added.length - failing.length - held} reported only`,
    `${before} there before`,
    `${count(scan.scannedFiles, 'file')} looked at`,
    ...(unread > 0 ? [`${count(unread, 'file')} over ${MAX_SCANNED_FILE_BYTES} bytes not looked at`] : []),
    ...(scan.timedOut ? ['the time was over before everything was looked at'] : []),
    ...(listed.length < scan.matches.length || scan.unlistedMatches > 0
      ? [`${scan.matches.length - listed.length + scan.unlistedMatches} more not listed`]
      : []),
  ];
  return {
    outcome,
    kind: 'checked',
    detail: said.join('; '),
    findings: [
      ...listed.map((located) => ({ ...finding(located), file: showPath(located.path) })),
      ...unseen(scan).map((each) => ({ ...each, file: showPath(each.file) })),
    ],
    facts: {
      findings_error: failing.length,
      findings_info: added.length - failing.length - held,
      ...(held > 0 && { findings_warning: held }),
      findings_existing: before,
      findings_not_listed: scan.matches.length - listed.length + scan.unlistedMatches,
      files_scanned: scan.scannedFiles,
      files_ignored: ignoredFiles,
      files_binary: scan.binaryFiles.length,
      files_too_large: unread,
      bytes_scanned: scan.scannedBytes,
    },
  };
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function finding({
  line,
  rule,
  title,
  severity,
  obfuscation,
  excerpt,
  isPreexisting,
}: PatchScanMatch): Omit<CheckFinding, 'file'> {
  const notes = [obfuscation, isPreexisting ? 'was there before' : null].filter((note) => note !== null);
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  return {
    line,
    rule,
    message: `${severity}: ${title}${note}: ${excerpt}`,
    ...(isPreexisting ? { baseline: 'unchanged' } : {}),
  };
}

/** Files whose contents could not be seen, each with the reason. */
function unseen(scan: PatchScanResult): (CheckFinding & { readonly file: string })[] {
  const note = (rule: string, message: string) => (file: string) => ({ file, line: null, rule, message });
  return [
    ...scan.tooLargeFiles.map(
      note('not_scanned', `is over ${MAX_SCANNED_FILE_BYTES} bytes; pass it over by name to go on`),
    ),
    ...scan.lfsPointers.map(
      note('lfs_pointer', 'what it points to is not in the repository and was not looked at'),
    ),
    ...scan.compressedFiles.map(note('packed_file', 'is compressed; what is packed in it was not looked at')),
    ...scan.submodules.map(note('submodule', 'is another repository, which was not looked at')),
  ];
}
