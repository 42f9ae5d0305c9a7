import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';
import { Command, runCommand } from '../tool-run/command.ts';

/** Circles of imports, by a graph of our own or by the project's command. */
export const importCycle: Gate = {
  name: 'import_cycle',
  flag: 'import_cycle_check',
  on: false,
  required: true,
  condition: 'code_changed',
  settings: { import_cycle_check: z.boolean().optional(), import_cycle_command: Command.optional() },
  run: async (context, settings) => {
    const command = context.command ?? Command.safeParse(settings['import_cycle_command']).data;
    if (command !== undefined) return runCommand(context, command);
    const { lookForCycles } = await import('../rules/import-cycle/look.ts');
    return lookForCycles(context);
  },
};
