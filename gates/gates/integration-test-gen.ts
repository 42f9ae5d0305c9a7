import * as z from 'zod';
import { OnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import type { Gate } from '../core/gate.ts';
import { grammarOf } from '../core/language.ts';
import { NOTHING_TO_JUDGE } from '../rules/llm/ask.ts';
import { Command } from '../tests/gate-runs/command.ts';

/** Lets a model write an integration test for the patch, and runs it. */
export const integrationTestGen: Gate = {
  name: 'integration_test_gen',
  flag: 'integration_test_gen',
  on: false,
  required: true,
  condition: 'code_changed',
  settings: {
    integration_test_gen: z.boolean().optional(),
    /** Runs the test; `{file}` stands for its path. */
    integration_test_command: Command.optional(),
    integration_test_on_error: OnErrorSetting,
  },
  judged: true,
  plan: async () => 'ours',
  run: async (context, settings) => {
    const changed = context.subject.changes.filter(({ path, head }) => head && grammarOf(path));
    if (changed.length === 0) return { ...NOTHING_TO_JUDGE, detail: 'no code was added or changed' };
    const { generateAndRun } = await import('../rules/llm/generated-test.ts');
    const command = context.command ?? Command.safeParse(settings['integration_test_command']).data ?? null;
    return generateAndRun(
      context,
      changed.map(({ path }) => path),
      { command, onError: OnErrorSetting.parse(settings['integration_test_on_error']) },
    );
  },
};
