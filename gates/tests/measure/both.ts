import { shownPath } from '../../../workspace/git/path-bytes.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { gravestOf, type Part } from '../running/gravest.ts';
import { profilesOf } from '../running/settings.ts';
import { missing, toolVersion } from '../running/tool-version.ts';
import { type Measured, measure, printing, unmeasured } from './measure.ts';
import { type Suite, suitesFor } from './suites.ts';

type Metadata = NonNullable<GateResult['metadata']>;

/** Both sides of a comparison. */
interface Both<T> {
  readonly base: T;
  readonly current: T;
  readonly metadata: Metadata;
}

export interface BothOptions<T> {
  /** Command of the configuration; it prints the measurement. */
  readonly command: string | undefined;
  readonly suites: readonly Suite[];
  /** @throws when the text is no measurement. */
  readonly read: (text: string) => T;
  readonly judge: (both: Both<T>) => GateResult;
}

/** Measures with the command, or with the suite of each language in each of its folders; the gravest result is the gate's. */
export async function measureBoth<T>(
  context: GateContext,
  settings: Readonly<Record<string, unknown>>,
  options: BothOptions<T>,
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const left = subject.rooms.within(timeoutMs);
  const { command, suites } = options;
  if (command !== undefined)
    return compare(subject, { line: printing(command), metadata: { command } }, options, left);
  const { chosen, beyond } = await suitesFor(subject, suites, profilesOf(settings));
  if (chosen.length + beyond.length === 0)
    return inert('no command is set, and the languages of the project have no tool for it');
  const parts: Part[] = [];
  for (const { suite, ...place } of chosen) {
    const version = await toolVersion(subject.rooms, subject.base, suite, place);
    const { folder } = place;
    const metadata: Metadata = {
      tool: suite.name,
      tool_version: version,
      command: suite.line,
      ...(folder === '' ? {} : { folder: shownPath(folder) }),
    };
    const result =
      version === null
        ? inert(missing(suite), metadata)
        : await compare(subject, { ...place, line: suite.line, metadata }, options, left);
    parts.push({ tool: suite.name, folder, result });
  }
  return gravestOf(parts, beyond);
}

const inert = (detail: string, metadata: Metadata = {}): GateResult => ({
  outcome: 'inert',
  kind: 'checked_by_us',
  findings: [],
  detail,
  metadata,
});

interface Line {
  readonly line: string;
  readonly setup?: string | null;
  readonly folder?: string;
  readonly metadata: Metadata;
}

/** Measures the patch and the base with the same line, one after the other. */
async function compare<T>(
  { rooms, tree, base: commit }: GateContext['subject'],
  { metadata, ...line }: Line,
  { read, judge }: BothOptions<T>,
  left: () => number,
): Promise<GateResult> {
  const head = await measure(tree, { rooms, ...line, timeoutMs: left() });
  if (head.outcome === 'timed_out') return unmeasured(head, metadata);
  const before = await measure(commit, { rooms, ...line, timeoutMs: left() });
  const base = attempt(before, read);
  const current = attempt(head, read);
  // A suite that fails on the base too says nothing about the patch; what it measured still counts.
  if (head.outcome !== 'passed' && (before.outcome === 'passed' || current === null))
    return unmeasured(head, metadata);
  if (current === null) return unmeasured(head, metadata);
  if (base === null) return inert(`the base could not be measured: ${before.detail}`, metadata);
  return judge({ base, current, metadata });
}

function attempt<T>({ text }: Measured, read: (text: string) => T): T | null {
  if (text === null) return null;
  try {
    return read(text);
  } catch {
    return null;
  }
}
