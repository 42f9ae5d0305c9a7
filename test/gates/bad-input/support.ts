import type { Evidence } from '../../../shared/contract/evidence/schema.ts';
import { deriveVerdictFromEvidence } from '../../../shared/control/verdict/reduce-to-verdict.ts';

/** Every gate that needs no tool from outside, and commands that agree with everything. */
const OURS = [
  'pii_scan',
  'dlp_scan',
  'large_file_check',
  'merge_conflict_check',
  'suppressions',
  'test_integrity',
  'dead_code_check',
  'import_cycle_check',
  'comment_quality_check',
  'migration_reversibility_check',
  'test_expansion',
  'red_first',
] as const;

/** An assay.yaml with these lines below `quality_gates`. */
export const configured = (lines: string): string =>
  `version: 1\nquality_gates:\n${lines.replace(/^/gm, '  ')}\n`;

export const EVERYTHING = configured(
  `lint_command: "true"\ntests: true\ntest_command: "true"\n${OURS.map((flag) => `${flag}: true`).join('\n')}`,
);

/** One command, and nothing else. */
export const oneCommand = (line: string, more = ''): string =>
  configured(`pii_scan: false\ndlp_scan: false\nlint_command: ${JSON.stringify(line)}\n${more}`.trimEnd());

/** What was said, in short: the verdict, and every gate that neither passed nor was skipped. */
export const said = (evidence: Evidence): { readonly verdict: string; readonly not_passed: string[] } => ({
  verdict: deriveVerdictFromEvidence(evidence).verdict,
  not_passed: evidence.gates.flatMap(({ name, outcome }) =>
    outcome === 'passed' || outcome === 'skipped' ? [] : [`${name}: ${outcome}`],
  ),
});

/** `rule file` of every finding of a gate. */
export const found = (evidence: Evidence, gate: string): string[] =>
  evidence.gates.find(({ name }) => name === gate)?.findings.map(({ rule, file }) => `${rule} ${file}`) ?? [];
