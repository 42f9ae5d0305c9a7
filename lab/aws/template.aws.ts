import { describe, expect, test } from 'vitest';
import { type Finding, findings, isHere, LINTERS } from './linters/findings.ts';
import { SUPPRESSIONS } from './linters/suppressions.ts';
import { files } from './machine/names.ts';

if (!isHere('cfn-guard')) console.warn('SKIPPED the rules of cfn-guard: it is not here; .ci/run installs it');

describe.each(LINTERS)('%s', (linter) => {
  const suppressions = SUPPRESSIONS.filter((each) => each.linter === linter);
  const covers = (finding: Finding) => (each: (typeof suppressions)[number]) =>
    each.rule === finding.rule && each.on.test(finding.resource);

  test.skipIf(!isHere(linter))(
    'finds nothing in the template but what has a reason, and each reason is needed',
    () => {
      const found = findings(linter, files().template);
      expect(found.filter((finding) => !suppressions.some(covers(finding)))).toEqual([]);
      expect(suppressions.filter((each) => !found.some((finding) => covers(finding)(each)))).toEqual([]);
    },
  );
});
