import type { FlakyTestSettings } from '../../core/flaky-settings.ts';
import type { GateContext } from '../../core/gate.ts';
import type { CompletedCommandRun } from '../running/command-run.ts';
import type { TestRunEvaluationOptions } from './evaluate-run.ts';

/** Looks for flaky tests in the runs of a line or a tool. Loaded only where somebody asked for it. */
export const createFlakyCheck =
  (
    context: GateContext,
    settings: FlakyTestSettings,
    what: unknown,
    again: () => Promise<CompletedCommandRun>,
  ): NonNullable<TestRunEvaluationOptions['checkFlaky']> =>
  async (question) => {
    const { checkFlakyTests } = await import('./check-flaky-tests.ts');
    return checkFlakyTests(context, question, { settings, commandIdentity: what, rerun: again });
  };
