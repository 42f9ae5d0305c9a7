import * as z from 'zod';
import { readFlakyTestSettings } from '../core/flaky-settings.ts';
import type { Gate } from '../core/gate.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';
import { selectLanguageTools } from '../tests/running/choose-tools.ts';
import { findProjectScript } from '../tests/running/project-scripts.ts';
import { readToolProfiles } from '../tests/running/tool-profile-settings.ts';

/** Whether new and changed tests fail without the patch and pass with it. */
export const redFirstGate: Gate = {
  name: 'red_first',
  configKey: 'red_first',
  enabledByDefault: false,
  required: false,
  condition: 'tests_changed',
  settings: { red_first: z.boolean().optional(), red_first_command: CommandLineSetting.optional() },
  run: async (given, settings) => {
    const context = {
      ...given,
      flakySettings: readFlakyTestSettings(settings),
      confirmsFailures: settings['flaky_detection'] !== false,
    };
    const command =
      context.command ??
      CommandLineSetting.safeParse(settings['red_first_command']).data ??
      CommandLineSetting.safeParse(settings['test_command']).data ??
      (await findProjectScript(context.subject, 'tests'));
    const { runRedFirstGate } = await import('../tests/red-first/run-red-first.ts');
    if (command !== null) return runRedFirstGate(context, { command });
    // The same tools as the tests gate runs, so that their runs are shared.
    const { tools } = await selectLanguageTools(
      context.subject,
      'tests',
      readToolProfiles(settings),
      settings['tests'] === true,
    );
    if (tools.length > 0) return runRedFirstGate(context, { tools });
    return {
      outcome: 'could_not_run',
      kind: 'checked',
      findings: [],
      detail: 'no red_first_command or test_command is set, and the project configures no tests',
    };
  },
};
