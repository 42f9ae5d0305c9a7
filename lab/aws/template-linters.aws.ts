import { describe, expect, test } from 'vitest';
import { LINT_SUPPRESSIONS } from './linters/lint-suppressions.ts';
import {
  isLinterAvailable,
  type LintFinding,
  runLinter,
  TEMPLATE_LINTERS,
} from './linters/template-linters.ts';
import { getCurrentRunFiles } from './machine/run-environment.ts';

if (!isLinterAvailable('cfn-guard'))
  console.warn('SKIPPED the rules of cfn-guard: it is not here; .ci/run installs it');

describe.each(TEMPLATE_LINTERS)('%s', (linter) => {
  const suppressions = LINT_SUPPRESSIONS.filter((each) => each.linter === linter);
  const covers = (finding: LintFinding) => (each: (typeof suppressions)[number]) =>
    each.rule === finding.rule && each.logicalIds.test(finding.resource);

  test.skipIf(!isLinterAvailable(linter))(
    'finds nothing in the template but what has a reason, and each reason is needed',
    () => {
      const found = runLinter(linter, getCurrentRunFiles().template);
      expect(found.filter((finding) => !suppressions.some(covers(finding)))).toEqual([]);
      expect(suppressions.filter((each) => !found.some((finding) => covers(finding)(each)))).toEqual([]);
    },
  );
});
