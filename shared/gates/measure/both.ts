import type { GateContext, GateResult } from '../gate.ts';
import { profilesOf } from '../profiles/settings.ts';
import { missing, toolVersion } from '../profiles/tool-version.ts';
import { type Measured, measure, printing, unmeasured } from './measure.ts';
import { type Suite, suiteFor } from './suites.ts';

type Metadata = NonNullable<GateResult['metadata']>;

/** Both sides of a comparison, or the result of a gate that has not both. */
export type Both<T> =
  | { readonly base: T; readonly current: T; readonly metadata: Metadata }
  | { readonly result: GateResult };

export interface BothOptions<T> {
  /** Command of the configuration; it prints the measurement. */
  readonly command: string | undefined;
  readonly suites: readonly Suite[];
  /** @throws when the text is no measurement. */
  readonly read: (text: string) => T;
}

/** Measures the patch and the base with the same line, one after the other. */
export async function measureBoth<T>(
  { subject, timeoutMs }: GateContext,
  settings: Readonly<Record<string, unknown>>,
  { command, suites, read }: BothOptions<T>,
): Promise<Both<T>> {
  const inert = (detail: string, metadata: Metadata = {}): { readonly result: GateResult } => ({
    result: { outcome: 'inert', kind: 'checked_by_us', findings: [], detail, metadata },
  });
  const { rooms } = subject;
  let [line, setup, metadata]: [string, string | null, Metadata] = ['', null, {}];
  if (command === undefined) {
    const chosen = await suiteFor(subject, suites, profilesOf(settings));
    if (chosen === null)
      return inert('no command is set, and the languages of the project have no tool for it');
    const version = await toolVersion(rooms, subject.base, chosen.suite);
    ({ line } = chosen.suite);
    ({ setup } = chosen);
    metadata = { tool: chosen.suite.name, tool_version: version, command: line };
    if (version === null) return inert(missing(chosen.suite), metadata);
  } else {
    line = printing(command);
    metadata = { command };
  }
  const until = performance.now() + timeoutMs;
  const left = (): number => Math.max(1, until - performance.now());
  const head = await measure(subject.tree, { rooms, line, setup, timeoutMs: left() });
  if (head.outcome === 'timed_out') return { result: unmeasured(head, metadata) };
  const before = await measure(subject.base, { rooms, line, setup, timeoutMs: left() });
  const base = attempt(before, read);
  const current = attempt(head, read);
  // A suite that fails on the base too says nothing about the patch; what it measured still counts.
  if (head.outcome !== 'passed' && (before.outcome === 'passed' || current === null))
    return { result: unmeasured(head, metadata) };
  if (current === null) return { result: unmeasured(head, metadata) };
  if (base === null) return inert(`the base could not be measured: ${before.detail}`, metadata);
  return { base, current, metadata };
}

function attempt<T>({ text }: Measured, read: (text: string) => T): T | null {
  if (text === null) return null;
  try {
    return read(text);
  } catch {
    return null;
  }
}
