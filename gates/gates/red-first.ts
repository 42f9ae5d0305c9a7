import * as z from 'zod';
import { flakyOf } from '../core/flaky-settings.ts';
import type { Gate } from '../core/gate.ts';
import { Command } from '../tests/gate-runs/command.ts';
import { projectTests } from '../tests/running/tools.ts';

/** Whether new and changed tests fail without the patch and pass with it. */
export const redFirst: Gate = {
  name: 'red_first',
  flag: 'red_first',
  on: false,
  required: false,
  condition: 'tests_changed',
  settings: { red_first: z.boolean().optional(), red_first_command: Command.optional() },
  run: async (context, settings) => {
    const command =
      context.command ??
      Command.safeParse(settings['red_first_command']).data ??
      Command.safeParse(settings['test_command']).data ??
      (await projectTests(context.subject));
    if (command === null)
      return {
        outcome: 'inert',
        kind: 'checked_by_us',
        findings: [],
        detail: 'no red_first_command or test_command is set, and the project configures no tests',
      };
    const { runRedFirst } = await import('../tests/red-first/look.ts');
    return runRedFirst({ ...context, flaky: flakyOf(settings) }, command);
  },
};
