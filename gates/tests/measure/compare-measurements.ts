import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import type { GateContext, GateResult } from '../../core/gate.ts';
import { findToolVersion, missingToolMessage } from '../running/tool-version.ts';
import { combineToolResults, type ToolGateResult } from '../running/worst-result.ts';
import { type MeasurementCommand, selectMeasurementCommandsForPatch } from './measurement-suites.ts';
import {
  buildWriteOutputToReportLine,
  createFailedMeasurementResult,
  type MeasurementRun,
  runMeasurement,
} from './run-measurement.ts';

type Metadata = NonNullable<GateResult['facts']>;

/** Both sides of a comparison. */
interface MeasuredPair<T> {
  readonly base: T;
  readonly current: T;
  readonly facts: Metadata;
}

export interface CompareMeasurementsOptions<T> {
  /** Command of the configuration; it prints the measurement. */
  readonly command: string | undefined;
  readonly suites: readonly MeasurementCommand[];
  /** @throws when the text is no measurement. */
  readonly read: (text: string) => T;
  readonly judge: (both: MeasuredPair<T>) => GateResult;
}

/** Measures with the command, or with the suite of each language in each of its folders; the gravest result is the gate's. */
export async function compareMeasurements<T>(
  context: GateContext,
  options: CompareMeasurementsOptions<T>,
): Promise<GateResult> {
  const { subject, timeoutMs } = context;
  const { command, suites } = options;
  if (command !== undefined)
    return compare(
      subject,
      { line: buildWriteOutputToReportLine(command), facts: { command } },
      options,
      timeoutMs,
    );
  const { chosen, beyond } = await selectMeasurementCommandsForPatch(subject, suites);
  if (chosen.length + beyond.length === 0)
    return createCouldNotRunResult('no command is set, and the languages of the project have no tool for it');
  const parts: ToolGateResult[] = [];
  for (const { suite, folder } of chosen) {
    const version = await findToolVersion(subject.sandboxes, subject.base, suite, folder);
    const facts: Metadata = {
      tool: suite.name,
      tool_version: version,
      command: suite.line,
      ...(folder === '' ? {} : { folder: toDisplayPath(folder) }),
    };
    const result =
      version === null
        ? createCouldNotRunResult(missingToolMessage(suite), facts)
        : await compare(subject, { folder, line: suite.line, facts }, options, timeoutMs);
    parts.push({ tool: suite.name, folder, result });
  }
  return combineToolResults(parts, beyond);
}

const createCouldNotRunResult = (detail: string, facts: Metadata = {}): GateResult => ({
  outcome: 'could_not_run',
  kind: 'checked',
  findings: [],
  detail,
  facts,
});

interface MeasurementLine {
  readonly line: string;
  readonly folder?: string;
  readonly facts: Metadata;
}

/** Measures the patch and the base with the same line, one after the other. */
async function compare<T>(
  { sandboxes, tree, base: commit }: GateContext['subject'],
  { facts, ...line }: MeasurementLine,
  { read, judge }: CompareMeasurementsOptions<T>,
  timeoutMs: number,
): Promise<GateResult> {
  const head = await runMeasurement(tree, { sandboxes, ...line, timeoutMs });
  if (head.outcome === 'timed_out') return createFailedMeasurementResult(head, facts);
  const before = await runMeasurement(commit, { sandboxes, ...line, timeoutMs });
  const base = attempt(before, read);
  const current = attempt(head, read);
  // A suite that fails on the base too says nothing about the patch; what it measured still counts.
  if (head.outcome !== 'passed' && (before.outcome === 'passed' || current === null))
    return createFailedMeasurementResult(head, facts);
  if (current === null) return createFailedMeasurementResult(head, facts);
  if (base === null)
    return createCouldNotRunResult(`the base could not be measured: ${before.detail}`, facts);
  return judge({ base, current, facts });
}

function attempt<T>({ reportText }: MeasurementRun, read: (text: string) => T): T | null {
  if (reportText === null) return null;
  try {
    return read(reportText);
  } catch {
    return null;
  }
}
