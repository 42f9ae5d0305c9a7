import * as z from 'zod';
import { readFlakyTestSettings } from '../core/flaky-settings.ts';
import type { Gate } from '../core/gate.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';
import { findTestCommand } from '../tests/running/project-scripts.ts';

/** Whether new and changed tests fail without the patch and pass with it. */
export const redFirstGate: Gate = {
  name: 'red_first',
  configKey: 'red_first',
  enabledByDefault: false,
  required: false,
  condition: 'tests_changed',
  settings: { red_first: z.boolean().optional(), red_first_command: CommandLineSetting.optional() },
  run: async (context, settings) => {
    const command =
      context.command ??
      CommandLineSetting.safeParse(settings['red_first_command']).data ??
      CommandLineSetting.safeParse(settings['test_command']).data ??
      (await findTestCommand(context.subject));
    if (command === null)
      return {
        outcome: 'could_not_run',
        kind: 'checked',
        findings: [],
        detail: 'no red_first_command or test_command is set, and the project configures no tests',
      };
    const { runRedFirstGate } = await import('../tests/red-first/run-red-first.ts');
    return runRedFirstGate({ ...context, flakySettings: readFlakyTestSettings(settings) }, command);
  },
};
