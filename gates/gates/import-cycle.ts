import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';
import { runCodeRules } from './code-rule-gate.ts';

/** Circles of imports, by a graph of our own or by the project's command. */
export const importCycleGate: Gate = {
  name: 'import_cycle',
  configKey: 'import_cycle_check',
  enabledByDefault: false,
  required: true,
  condition: 'code_changed',
  settings: {
    import_cycle_check: z.boolean().optional(),
    import_cycle_command: CommandLineSetting.optional(),
  },
  run: async (context, settings) => {
    const command = context.command ?? CommandLineSetting.safeParse(settings['import_cycle_command']).data;
    if (command !== undefined) {
      const { runCommandOnPatch } = await import('../tests/gate-runs/run-command.ts');
      return runCommandOnPatch(context, command);
    }
    const [{ IMPORT_CYCLE_RULES }, { findImportCycles }] = await Promise.all([
      import('../rules/import-cycle/rules.ts'),
      import('../rules/import-cycle/import-cycles.ts'),
    ]);
    return runCodeRules(context, IMPORT_CYCLE_RULES, async ({ project, changes }) => ({
      findings: findImportCycles(project, changes),
      cleanDetail: `no new import cycle in ${project.head.files.code.size} files`,
      facts: {
        files: project.head.files.code.size,
        // Whoever reads "no cycle" should know what nobody could follow.
        imports_unknown: project.head.importGraph.dynamicImports.length,
      },
    }));
  },
};
