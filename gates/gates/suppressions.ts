import * as z from 'zod';
import type { GateContext } from '../core/gate.ts';
import { isCodePath } from '../languages/code-paths.ts';
import { createRuleGate } from './rule-gate.ts';

/** What the patch adds to keep checks quiet: suppression comments, and code that cheats whoever runs it. */
export const suppressionsGate = createRuleGate({
  name: 'suppressions',
  condition: 'code_changed',
  settings: { suppressions: z.boolean().optional() },
  loadRules: async () => (await import('../rules/suppressions/rules.ts')).SUPPRESSION_RULES,
  isWantedPath: isCodePath,
  readRequiredGates: withoutLint,
  cleanDetail: (texts) => `${texts} files: nothing that the patch adds silences a check`,
});

/** The linter is on by default, also where there is none. */
async function withoutLint(
  { requiredGates = [], subject }: GateContext,
  settings: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  if (settings['lint'] === true || settings['lint_command'] !== undefined) return requiredGates;
  const { isToolConfigured } = await import('../tests/running/choose-tools.ts');
  return (await isToolConfigured(subject, 'lint'))
    ? requiredGates
    : requiredGates.filter((gate) => gate !== 'lint');
}
