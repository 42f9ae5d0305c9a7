import * as z from 'zod';
import { Command } from './command.ts';
import { flakyOf } from './flaky/settings.ts';
import type { Gate } from './gate.ts';
import { projectTool } from './tools.ts';

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
      (await projectTool(context.subject, 'tests'));
    if (command === null)
      return {
        outcome: 'inert',
        kind: 'checked_by_us',
        findings: [],
        detail: 'no red_first_command or test_command is set, and the project configures no tests',
      };
    const { runRedFirst } = await import('./red-first/look.ts');
    return runRedFirst({ ...context, flaky: flakyOf(settings) }, command);
  },
};
