import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';
import { Command } from '../tool-run/command.ts';
import { Seconds, Share } from '../tool-run/mutation/settings.ts';
import { PROFILE_SETTINGS } from '../tool-run/settings.ts';

const DEFAULT_THRESHOLD = 0.5;

/** Whether the tests notice when the changed code is changed in small ways. */
export const mutationTesting: Gate = {
  name: 'mutation_testing',
  flag: 'mutation_testing',
  on: false,
  required: true,
  condition: 'code_changed',
  timeoutS: 600,
  timeoutKey: 'mutation_timeout_s',
  settings: {
    mutation_testing: z.boolean().optional(),
    mutation_threshold: Share.optional(),
    mutation_timeout_s: Seconds.optional(),
    mutation_command: Command.optional(),
    ...PROFILE_SETTINGS,
  },
  plan: async (project, settings) => {
    const command = Command.safeParse(settings['mutation_command']).data;
    if (command !== undefined) return [{ command }];
    const { planMutation } = await import('../tool-run/mutation/plan.ts');
    return planMutation(project);
  },
  run: async (context, settings) => {
    const { lookByMutation } = await import('../tool-run/mutation/look.ts');
    return lookByMutation(context, settings, 'changed_code', {
      command: context.command ?? Command.safeParse(settings['mutation_command']).data ?? null,
      threshold: Share.safeParse(settings['mutation_threshold']).data ?? DEFAULT_THRESHOLD,
    });
  },
};
