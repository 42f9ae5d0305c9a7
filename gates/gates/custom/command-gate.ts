import type { Condition } from '../../core/conditions.ts';
import type { Gate } from '../../core/gate.ts';
import { runCommand } from '../../tests/gate-runs/run-command.ts';
import type { CustomGate } from './settings.ts';

/** When a gate of the project's own runs, if nothing is said. */
export const DEFAULT_CONDITION = 'any_changed' satisfies Condition;

/** A gate that is a command line of `assay.yaml`. */
export function customCommandGate(definition: CustomGate & { readonly command: string }): Gate {
  const { name, required = true, condition = DEFAULT_CONDITION, format = 'text', timeout_s } = definition;
  return {
    name,
    flag: name,
    on: true,
    required,
    condition,
    settings: {},
    facts: definition,
    ...(timeout_s === undefined ? {} : { timeoutS: timeout_s }),
    plan: async () => [{ command: definition.command }],
    run: async (context) => {
      const command = context.command ?? definition.command;
      if (format === 'text') return runCommand(context, command);
      const { runReporting } = await import('./reporting.ts');
      return runReporting(context, { name, command, format });
    },
  };
}
