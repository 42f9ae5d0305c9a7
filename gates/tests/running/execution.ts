import type { Outcome } from '../../../shared/contract/outcome.ts';
import type { RunResult } from '../../../workspace/process/run.ts';
import type { TestResult } from '../../core/test-result.ts';
import type { Report } from '../../reports/report.ts';

/** One run of a tool or a command on a tree. */
export interface Execution {
  readonly ran: RunResult;
  /** What the tool reported; null when it did not come to a report, and then `outcome` and `detail` say why. */
  readonly report: Report | null;
  /** What became of each test, also where the report does not explain how the tool ended; null: nobody says it. */
  readonly cases: readonly TestResult[] | null;
  /** What the code under test wrote into a file of its own, where it was asked to. */
  readonly aside?: string | null;
  readonly outcome: Outcome;
  readonly detail: string;
}
/** Variables of the environment that are not as usual. */
export type Surroundings = Readonly<Record<string, string>>;
