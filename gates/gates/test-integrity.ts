import * as z from 'zod';
import type { Gate, GateResult } from '../engine/gate.ts';
import { Command } from '../tool-run/command.ts';
import { flakyOf } from '../tool-run/flaky/settings.ts';
import { projectScript, projectTool } from '../tool-run/tools.ts';

/** Whether the patch takes protection out of the tests, or adds tests that protect nothing. On with the tests. */
export const testIntegrity: Gate = {
  name: 'test_integrity',
  flag: 'test_integrity',
  on: false,
  onWith: ['tests'],
  required: true,
  condition: 'tests_changed',
  settings: { test_integrity: z.boolean().optional() },
  run: async (context, settings) => {
    const { subject } = context;
    const command =
      context.command ??
      Command.safeParse(settings['test_command']).data ??
      (await projectScript(subject, 'tests')) ??
      // Where the tests gate finds its tool itself, it also runs what the patch takes away.
      (settings['tests'] === true ? null : await projectTool(subject, 'tests'));
    const { lookAtTests } = await import('../rules/test-integrity/look.ts');
    // Where runs decide, what the tests look like is a note, and nothing has to run here once more.
    if (settings['runs_decide'] === true) return asNotes(await lookAtTests(context, null));
    return lookAtTests({ ...context, flaky: flakyOf(settings) }, command);
  },
};

const asNotes = (result: GateResult): GateResult =>
  result.outcome === 'failed' || result.outcome === 'inert'
    ? { ...result, outcome: 'passed', detail: `for a reader: ${result.detail}` }
    : result;
