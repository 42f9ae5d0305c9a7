import type { Gate } from '../../core/gate.ts';
import type { GateCondition } from '../../core/gate-conditions.ts';
import { runCommandOnPatch } from '../../tests/gate-runs/run-command.ts';
import type { CustomGateSetting } from './custom-gate-setting.ts';

/** When a gate of the project's own runs, if nothing is said. */
export const DEFAULT_CUSTOM_GATE_CONDITION = 'any_changed' satisfies GateCondition;

/** A gate that is a command line of `assay.yaml`. */
export function createCustomCommandGate(definition: CustomGateSetting & { readonly command: string }): Gate {
  const {
    name,
    required = true,
    condition = DEFAULT_CUSTOM_GATE_CONDITION,
    format = 'text',
    timeout_s,
  } = definition;
  return {
    name,
    configKey: name,
    enabledByDefault: true,
    required,
    condition,
    settings: {},
    cacheFacts: definition,
    ...(timeout_s === undefined ? {} : { timeoutS: timeout_s }),
    plan: async () => [{ command: definition.command }],
    run: async (context) => {
      const command = context.command ?? definition.command;
      if (format === 'text') return runCommandOnPatch(context, command);
      const { runReportingCommand } = await import('./run-reporting-command.ts');
      return runReportingCommand(context, { name, command, format });
    },
  };
}
