import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import { Command } from '../tests/gate-runs/command.ts';
import { readCode } from './code-reading.ts';

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
    if (command !== undefined) {
      const { runCommand } = await import('../tests/gate-runs/run-command.ts');
      return runCommand(context, command);
    }
    const [{ CYCLE_RULES }, { cyclesSeen }] = await Promise.all([
      import('../rules/import-cycle/rules.ts'),
      import('../rules/import-cycle/cycles.ts'),
    ]);
    return readCode(context, CYCLE_RULES, async ({ project, changes }) => ({
      seen: cyclesSeen(project, changes),
      clean: `no new import cycle in ${project.head.files.code.size} files`,
      metadata: {
        files: project.head.files.code.size,
        // Whoever reads "no cycle" should know what nobody could follow.
        imports_unknown: project.head.graph.unknown.length,
      },
    }));
  },
};
