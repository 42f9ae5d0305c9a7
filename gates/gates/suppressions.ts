import * as z from 'zod';
import type { GateContext } from '../core/gate.ts';
import { isCodePath } from '../languages/code-paths.ts';
import { readingGate } from './reading-gate.ts';

/** What the patch adds to keep checks quiet: suppression comments, and code that cheats whoever runs it. */
export const suppressions = readingGate({
  name: 'suppressions',
  condition: 'code_changed',
  settings: { suppressions: z.boolean().optional() },
  rules: async () => (await import('../rules/suppressions/rules.ts')).SUPPRESSION_RULES,
  wanted: isCodePath,
  requiredOf: withoutLint,
  clean: (texts) => `${texts} files: nothing that the patch adds silences a check`,
});

/** The linter is on by default, also where there is none. */
async function withoutLint(
  { required = [], subject }: GateContext,
  settings: Readonly<Record<string, unknown>>,
): Promise<readonly string[]> {
  if (settings['lint'] === true || settings['lint_command'] !== undefined) return required;
  const { configures } = await import('../tests/running/choose.ts');
  return (await configures(subject, 'lint')) ? required : required.filter((gate) => gate !== 'lint');
}
