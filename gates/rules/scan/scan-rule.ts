import type { RuleLevel } from '../../core/rule-settings.ts';
import type { RuleDefinition } from '../framework/rule-family.ts';

const PROJECT = {
  'README.md': '# Shop\n',
  'package.json': '{"name":"shop","license":"Apache-2.0","author":"Acme Ltd"}\n',
};

interface ScanRuleDefinition {
  readonly id: string;
  readonly default: RuleLevel;
  readonly summary: string;
  /** What follows from it where it is true. */
  readonly rationale: string;
  /** Path and text of a file that has it, and of one that looks alike and has not. */
  readonly violatingFile: readonly [path: string, text: string];
  readonly harmlessFile: readonly [path: string, text: string];
}

/** A rule of a scan, with a file that a patch adds on either side. */
export const defineScanRule = ({
  violatingFile,
  harmlessFile,
  ...card
}: ScanRuleDefinition): RuleDefinition => ({
  ...card,
  languages: 'all',
  invalidExamples: [
    {
      name: `it stands in ${violatingFile[0]}`,
      before: PROJECT,
      after: { [violatingFile[0]]: `${violatingFile[1]}\n` },
    },
  ],
  validExamples: [
    {
      name: `${harmlessFile[0]} only looks like it`,
      before: PROJECT,
      after: { [harmlessFile[0]]: `${harmlessFile[1]}\n` },
    },
  ],
});
