import type { FlakySettings } from '../../core/flaky-settings.ts';
import type { GateContext } from '../../core/gate.ts';
import type { Execution } from '../running/execution.ts';
import type { Terms } from './result.ts';

/** Looks for flaky tests in the runs of a line or a tool. Loaded only where somebody asked for it. */
export const flakyLook =
  (
    context: GateContext,
    settings: FlakySettings,
    what: unknown,
    again: () => Promise<Execution>,
  ): NonNullable<Terms['flaky']> =>
  async (question) => {
    const { lookForFlaky } = await import('./flaky-look.ts');
    return lookForFlaky(context, question, { settings, what, again });
  };
