import type { GateFinding } from '../../../core/gate-finding.ts';
import type { TestResult } from '../../../core/test-result.ts';
import { type Cause, renderCause } from './messages.ts';

/** A finding of an experiment before its message is rendered. Decisions read these fields, never the message. */
export interface ExperimentFinding extends Pick<GateFinding, 'severity' | 'file'> {
  readonly line?: number | null;
  /** Name of the test case that it is about. */
  readonly test?: string;
  readonly cause: Cause;
}

/** Longest message in characters. */
const MAX_MESSAGE = 1_000;

export const findingOf = ({ file, line = null, test, severity, cause }: ExperimentFinding): GateFinding => ({
  file,
  line,
  rule: cause.rule,
  ...(test === undefined ? {} : { test }),
  message: `${test === undefined ? '' : `${test}: `}${renderCause(cause)}`.slice(0, MAX_MESSAGE),
  severity,
});

/** A finding about one test, at its file. */
export const testFinding = (
  { file, name }: Pick<TestResult, 'file' | 'name'>,
  cause: Cause,
  severity: GateFinding['severity'],
  line: number | null = null,
): GateFinding => findingOf({ file, line, test: name, severity: severity, cause });
