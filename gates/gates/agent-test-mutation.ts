import * as z from 'zod';
import type { Gate } from '../engine/gate.ts';
import { Command } from '../tool-run/command.ts';
import { Seconds, Share } from '../tool-run/mutation/settings.ts';
import { PROFILE_SETTINGS } from '../tool-run/settings.ts';

const DEFAULT_THRESHOLD = 0.7;

/** Whether the tests that the patch adds or changes notice when the code that they are about is changed in small ways. */
export const agentTestMutation: Gate = {
  name: 'agent_test_mutation',
  flag: 'agent_test_mutation',
  on: false,
  required: true,
  condition: 'tests_changed',
  timeoutS: 300,
  timeoutKey: 'agent_test_mutation_timeout_s',
  settings: {
    agent_test_mutation: z.boolean().optional(),
    agent_test_mutation_threshold: Share.optional(),
    agent_test_mutation_timeout_s: Seconds.optional(),
    agent_test_mutation_command: Command.optional(),
    ...PROFILE_SETTINGS,
  },
  plan: async (project, settings) => {
    const command = Command.safeParse(settings['agent_test_mutation_command']).data;
    if (command !== undefined) return [{ command }];
    const { planMutation } = await import('../tool-run/mutation/plan.ts');
    return planMutation(project);
  },
  run: async (context, settings) => {
    const { lookByMutation } = await import('../tool-run/mutation/look.ts');
    return lookByMutation(context, settings, 'code_under_changed_tests', {
      command: context.command ?? Command.safeParse(settings['agent_test_mutation_command']).data ?? null,
      threshold: Share.safeParse(settings['agent_test_mutation_threshold']).data ?? DEFAULT_THRESHOLD,
    });
  },
};
