import type { Finding } from '../../../shared/contract/evidence/schema.ts';
import type { GateResult } from '../../core/gate.ts';
import type { ChangesScan, Located } from './changes.ts';
import { MAX_FILE_BYTES } from './changes.ts';

export interface ReportOptions {
  /** Whether a new finding fails the gate. */
  readonly fails: (located: Located) => boolean;
  /** Whether a new finding is for a person to look at. */
  readonly holds?: (located: Located) => boolean;
  /** Files that the configuration of the base leaves out. */
  readonly ignored: number;
  /** Shows a path without what is secret in it. */
  readonly showPath: (path: string) => string;
}

/** Most findings that are listed; the counts are of all. */
const MAX_FINDINGS = 2_000;

/** What a gate says of a scan: it fails for what the patch adds, and holds for a person where it could not look. */
export function reportScan(scan: ChangesScan, options: ReportOptions): GateResult {
  const { fails, ignored, showPath, holds = () => false } = options;
  const added = scan.located.filter(({ before }) => !before);
  const failing = added.filter(fails);
  const held = added.filter(holds).length;
  const before = scan.located.length - added.length;
  const files = new Set(failing.map(({ path }) => path)).size;
  const unread = scan.tooLarge.length;
  const outcome =
    failing.length > 0
      ? 'failed'
      : scan.timedOut
        ? 'timed_out'
        : unread > 0 || held > 0
          ? 'inert'
          : ('passed' as const);
  const order = (located: Located): number => (located.before ? 2 : fails(located) ? 0 : 1);
  // Those that fail first, so that a long list loses none of them.
  const listed = [...scan.located].sort((a, b) => order(a) - order(b)).slice(0, MAX_FINDINGS);
  const said = [
    `${count(failing.length, 'finding')} in ${count(files, 'file')} ${failing.length === 1 ? 'fails' : 'fail'}`,
    ...(held > 0 ? [`${held} for a person to look at`] : []),
    `${added.length - failing.length - held} reported only`,
    `${before} there before`,
    `${count(scan.files, 'file')} looked at`,
    ...(unread > 0 ? [`${count(unread, 'file')} over ${MAX_FILE_BYTES} bytes not looked at`] : []),
    ...(scan.timedOut ? ['the time was over before everything was looked at'] : []),
    ...(listed.length < scan.located.length || scan.more > 0
      ? [`${scan.located.length - listed.length + scan.more} more not listed`]
      : []),
  ];
  return {
    outcome,
    kind: 'checked_by_us',
    detail: said.join('; '),
    findings: [
      ...listed.map((located) => ({ ...finding(located), file: showPath(located.path) })),
      ...unseen(scan).map((each) => ({ ...each, file: showPath(each.file) })),
    ],
    metadata: {
      findings_failing: failing.length,
      findings_reported: added.length - failing.length - held,
      ...(held > 0 && { findings_unclear: held }),
      findings_before: before,
      findings_not_listed: scan.located.length - listed.length + scan.more,
      files_scanned: scan.files,
      files_ignored: ignored,
      files_binary: scan.binary.length,
      files_too_large: unread,
      bytes_scanned: scan.bytes,
    },
  };
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function finding({ line, rule, title, severity, hidden, excerpt, before }: Located): Omit<Finding, 'file'> {
  const notes = [hidden, before ? 'was there before' : null].filter((note) => note !== null);
  const note = notes.length > 0 ? ` (${notes.join(', ')})` : '';
  return {
    line,
    rule,
    message: `${severity}: ${title}${note}: ${excerpt}`,
    ...(before ? { baseline: 'unchanged' } : {}),
  };
}

/** Files whose contents could not be seen, each with the reason. */
function unseen(scan: ChangesScan): (Finding & { readonly file: string })[] {
  const note = (rule: string, message: string) => (file: string) => ({ file, line: null, rule, message });
  return [
    ...scan.tooLarge.map(
      note('not_scanned', `is over ${MAX_FILE_BYTES} bytes; pass it over by name to go on`),
    ),
    ...scan.lfs.map(note('lfs_pointer', 'what it points to is not in the repository and was not looked at')),
    ...scan.packed.map(note('packed_file', 'is compressed; what is packed in it was not looked at')),
    ...scan.submodules.map(note('submodule', 'is another repository, which was not looked at')),
  ];
}
