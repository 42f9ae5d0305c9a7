import * as z from 'zod';
import { Command, runCommand } from './command.ts';
import type { Gate } from './gate.ts';

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
    const [{ lookAtCode }, { cyclesSeen }, { readabilityOf }, { resultOf }] = await Promise.all([
      import('./code/run.ts'),
      import('./import-cycle/cycles.ts'),
      import('./code/readable.ts'),
      import('./code/seen.ts'),
    ]);
    return lookAtCode(context, async (project, changed) => {
      const { graph, files } = project.head;
      const seen = [
        ...(await readabilityOf(context.subject.store, project, changed)),
        ...cyclesSeen(project, context.subject.changes),
      ];
      return resultOf(seen, `no new import cycle in ${files.code.size} files`, {
        files: files.code.size,
        // Whoever reads "no cycle" should know what nobody could follow.
        imports_unknown: graph.unknown.length,
      });
    });
  },
};
