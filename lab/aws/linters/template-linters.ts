import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import * as z from 'zod';
import { findProgram } from '../../../test/support/test-tools.ts';
import { getToolBinFolder } from '../python-tools.ts';

export const TEMPLATE_LINTERS = ['cfn-lint', 'checkov', 'cfn-guard'] as const;
export type TemplateLinter = (typeof TEMPLATE_LINTERS)[number];

export interface LintFinding {
  readonly rule: string;
  /** Logical id. */
  readonly resource: string;
}

/** Our own rules: what DESIGN and docs/explanation/security.md promise of the template. */
const GUARD_RULES = join(import.meta.dirname, 'template.guard');

/** Whether the linter can be run; those of PyPI are installed before. */
export const isLinterAvailable = (linter: TemplateLinter): boolean =>
  linter !== 'cfn-guard' || findProgram('cfn-guard') !== null;

/** What a linter says of a template. @throws when it does not answer as it should. */
export function runLinter(linter: TemplateLinter, template: string): LintFinding[] {
  switch (linter) {
    case 'cfn-lint':
      return cfnLint(template);
    case 'checkov':
      return checkov(template);
    case 'cfn-guard':
      return cfnGuard(template);
  }
}

function output(program: string, args: readonly string[]): unknown {
  const { stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1_048_576 });
  if (error) throw error;
  try {
    return JSON.parse(stdout);
  } catch {
    throw new Error(`${program} has not answered with JSON: ${stdout.slice(0, 500)}${stderr.slice(-2_000)}`);
  }
}

const CfnLint = z.array(
  z.object({
    Rule: z.object({ Id: z.string() }),
    Location: z.object({ Path: z.array(z.union([z.string(), z.number()])).nullable() }),
  }),
);
const cfnLint = (template: string): LintFinding[] =>
  CfnLint.parse(
    output(join(getToolBinFolder('cfn-lint'), 'cfn-lint'), ['--format', 'json', '--', template]),
  ).map(({ Rule, Location }) => ({ rule: Rule.Id, resource: String(Location.Path?.[1] ?? '') }));

const Checkov = z.object({
  summary: z.object({ passed: z.number().positive(), parsing_errors: z.literal(0) }),
  results: z.object({
    failed_checks: z.array(z.object({ check_id: z.string(), resource: z.string() })),
  }),
});
const checkov = (template: string): LintFinding[] =>
  Checkov.parse(
    output(join(getToolBinFolder('checkov'), 'checkov'), [
      ...['--file', template, '--framework', 'cloudformation', '--output', 'json'],
      ...['--quiet', '--compact', '--skip-download'],
    ]),
  ).results.failed_checks.map(({ check_id, resource }) => ({
    rule: check_id,
    resource: resource.split('.').at(-1) ?? '',
  }));

const Guard = z.array(
  z.object({
    not_compliant: z.array(z.object({ Rule: z.object({ name: z.string(), checks: z.unknown() }) })),
    compliant: z.array(z.string()),
    not_applicable: z.array(z.string()),
  }),
);
const cfnGuard = (template: string): LintFinding[] =>
  Guard.parse(
    output('cfn-guard', [
      ...['validate', '--data', template, '--rules', GUARD_RULES],
      ...['--structured', '--output-format', 'json', '--show-summary', 'none'],
    ]),
  ).flatMap(({ not_compliant, not_applicable }) => [
    ...not_compliant.flatMap(({ Rule }) => {
      const places = [...JSON.stringify(Rule.checks).matchAll(/\/Resources\/(\w+)/g)].map(
        ([, id = '']) => id,
      );
      return [...new Set(places)].map((resource) => ({ rule: Rule.name, resource }));
    }),
    // A rule that looks at nothing has lost what it was written for.
    ...not_applicable.map((rule) => ({ rule, resource: 'nothing' })),
  ]);
