import type { CheckOutcome } from '../../../shared/contract/check-outcome.ts';
import type { ProcessResult } from '../../../workspace/process/run-process.ts';
import type { TestResult } from '../../core/test-result.ts';
import type { ToolReport } from '../../reports/tool-report.ts';

/** One run of a tool or a command on a tree. */
export interface CompletedCommandRun {
  readonly processResult: ProcessResult;
  /** What the tool reported; null when it did not come to a report, and then `outcome` and `detail` say why. */
  readonly report: ToolReport | null;
  /** What became of each test, also where the report does not explain how the tool ended; null: nobody says it. */
  readonly cases: readonly TestResult[] | null;
  /** Why results that the output begins to name could not be read; absent or null: there were none, or they were read. */
  readonly reportProblem?: string | null;
  /** What the code under test wrote into a file of its own, where it was asked to. */
  readonly sideFileText?: string | null;
  readonly outcome: CheckOutcome;
  readonly detail: string;
}
/** Variables of the environment that are not as usual. */
export type EnvironmentOverrides = Readonly<Record<string, string>>;
