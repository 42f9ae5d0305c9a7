import * as z from 'zod';
import type { Condition } from '../../core/conditions.ts';
import type { Gate } from '../../core/gate.ts';
import { Command } from '../gate-runs/command.ts';
import { PROFILE_SETTINGS } from '../running/settings.ts';
import type { Aim } from './look.ts';
import { Seconds, Share } from './settings.ts';

interface MutationGate {
  readonly name: string;
  readonly condition: Condition;
  readonly timeoutS: number;
  /** What the keys of its settings begin with. */
  readonly key: string;
  /** Share of the changes that have to be noticed, where nobody says. */
  readonly threshold: number;
  /** The code that is changed in small ways. */
  readonly mutates: Aim;
}

/** A gate that changes code in small ways, and asks how many of these changes the tests notice. */
export function mutationGate({ name, condition, timeoutS, key, threshold, mutates }: MutationGate): Gate {
  const commandOf = (settings: Readonly<Record<string, unknown>>): string | undefined =>
    Command.safeParse(settings[`${key}_command`]).data;
  return {
    name,
    flag: name,
    on: false,
    required: true,
    condition,
    timeoutS,
    timeoutKey: `${key}_timeout_s`,
    settings: {
      [name]: z.boolean().optional(),
      [`${key}_threshold`]: Share.optional(),
      [`${key}_timeout_s`]: Seconds.optional(),
      [`${key}_command`]: Command.optional(),
      ...PROFILE_SETTINGS,
    },
    plan: async (project, settings) => {
      const command = commandOf(settings);
      if (command !== undefined) return [{ command }];
      const { planMutation } = await import('./plan.ts');
      return planMutation(project);
    },
    run: async (context, settings) => {
      const { lookByMutation } = await import('./look.ts');
      return lookByMutation(context, settings, mutates, {
        command: context.command ?? commandOf(settings) ?? null,
        threshold: Share.safeParse(settings[`${key}_threshold`]).data ?? threshold,
      });
    },
  };
}
