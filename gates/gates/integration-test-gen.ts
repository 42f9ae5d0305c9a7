import * as z from 'zod';
import { CheckOnErrorSetting } from '../../shared/contract/submission/on-error.ts';
import type { Gate } from '../core/gate.ts';
import { grammarOfPath } from '../core/language.ts';
import { EMPTY_DIFF_RESULT } from '../rules/llm/review-patch.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';

/** Lets a model write an integration test for the patch, and runs it. */
export const integrationTestGenGate: Gate = {
  name: 'integration_test_gen',
  configKey: 'integration_test_gen',
  enabledByDefault: false,
  required: true,
  condition: 'code_changed',
  settings: {
    integration_test_gen: z.boolean().optional(),
    /** Runs the test; `{file}` stands for its path. */
    integration_test_command: CommandLineSetting.optional(),
    integration_test_on_error: CheckOnErrorSetting,
  },
  asksModel: true,
  plan: async () => 'ours',
  run: async (context, settings) => {
    const changed = context.subject.changes.filter(({ path, headEntry }) => headEntry && grammarOfPath(path));
    if (changed.length === 0) return { ...EMPTY_DIFF_RESULT, detail: 'no code was added or changed' };
    const { generateAndRunTest } = await import('../rules/llm/generated-test.ts');
    const command =
      context.command ?? CommandLineSetting.safeParse(settings['integration_test_command']).data ?? null;
    return generateAndRunTest(
      context,
      changed.map(({ path }) => path),
      { command, onError: CheckOnErrorSetting.parse(settings['integration_test_on_error']) },
    );
  },
};
