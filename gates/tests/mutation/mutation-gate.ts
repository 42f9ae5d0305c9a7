import * as z from 'zod';
import type { Gate } from '../../core/gate.ts';
import type { GateCondition } from '../../core/gate-conditions.ts';
import { CommandLineSetting } from '../gate-runs/command-gate.ts';
import type { MutationTarget } from './run-mutation.ts';

/** A share from 0 to 1. */
const ShareSetting = z.number().min(0).max(1);
/** A time limit in seconds. */
const SecondsSetting = z.number().int().min(1).max(7_200);

interface MutationGateDefinition {
  readonly name: string;
  readonly condition: GateCondition;
  readonly timeoutS: number;
  /** What the keys of its settings begin with. */
  readonly settingsPrefix: string;
  /** Share of the changes that have to be noticed, where nobody says. */
  readonly threshold: number;
  /** The code that is changed in small ways. */
  readonly target: MutationTarget;
}

/** A gate that changes code in small ways, and asks how many of these changes the tests notice. */
export function createMutationGate({
  name,
  condition,
  timeoutS,
  settingsPrefix,
  threshold,
  target,
}: MutationGateDefinition): Gate {
  const commandOf = (settings: Readonly<Record<string, unknown>>): string | undefined =>
    CommandLineSetting.safeParse(settings[`${settingsPrefix}_command`]).data;
  return {
    name,
    configKey: name,
    enabledByDefault: false,
    required: true,
    condition,
    timeoutS,
    timeoutKey: `${settingsPrefix}_timeout_s`,
    settings: {
      [name]: z.boolean().optional(),
      [`${settingsPrefix}_threshold`]: ShareSetting.optional(),
      [`${settingsPrefix}_timeout_s`]: SecondsSetting.optional(),
      [`${settingsPrefix}_command`]: CommandLineSetting.optional(),
    },
    plan: async (project, settings) => {
      const command = commandOf(settings);
      if (command !== undefined) return [{ command }];
      const { planMutationToolRuns } = await import('./plan-mutation.ts');
      return planMutationToolRuns(project);
    },
    run: async (context, settings) => {
      const { runMutationGate } = await import('./run-mutation.ts');
      return runMutationGate(context, target, {
        command: context.command ?? commandOf(settings) ?? null,
        threshold: ShareSetting.safeParse(settings[`${settingsPrefix}_threshold`]).data ?? threshold,
      });
    },
  };
}
