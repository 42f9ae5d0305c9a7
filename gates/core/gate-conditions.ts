import * as z from 'zod';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import { compilePathFilter, invalidGlobReason } from '../../shared/lib/glob/glob.ts';

/** The seed's conditions, and `code_changed`, which is true for every language. */
const NAMED_CONDITIONS = [
  'always',
  'any_changed',
  'code_changed',
  'python_changed',
  'tests_changed',
  'deps_changed',
] as const;
type NamedCondition = (typeof NAMED_CONDITIONS)[number];

/** When a gate runs: by a name, or when a changed path matches one of the globs. */
export type GateCondition = NamedCondition | { readonly changed: readonly string[] };

const LEGACY_PYTHON = /^changed_files\.any\(\s*(['"])\.py\1\s*\)$/;

const Globs = z
  .union([z.string(), z.array(z.string()).min(1)])
  .transform((globs) =>
    (typeof globs === 'string' ? globs.split(/[\s,]+(?![^{}]*\})/) : globs).filter((glob) => glob !== ''),
  )
  .superRefine((globs, context) => {
    if (globs.length === 0) context.addIssue({ code: 'custom', message: 'needs at least one glob' });
    for (const glob of globs) {
      const problem = invalidGlobReason(glob);
      if (problem) context.addIssue({ code: 'custom', message: `"${glob}" ${problem}` });
    }
  });

/** A condition as it stands in `assay.yaml`: a name, `changed: <globs>` as text or as a mapping, or the seed's legacy form. */
export const GateConditionSetting = z.preprocess(
  (input) => {
    if (typeof input !== 'string') return input;
    const text = input.trim();
    if (LEGACY_PYTHON.test(text)) return 'python_changed';
    return text.startsWith('changed:') ? { changed: text.slice('changed:'.length) } : text;
  },
  z.union([z.enum(NAMED_CONDITIONS), z.strictObject({ changed: Globs })], {
    error: () => `must be one of ${NAMED_CONDITIONS.join(', ')}, or changed: <globs>`,
  }),
);

/** The condition as people write it. */
export const describeGateCondition = (condition: GateCondition): string =>
  typeof condition === 'string' ? condition : `changed: ${condition.changed.join(', ')}`;

const UNMET: Readonly<Record<NamedCondition, string>> = {
  always: 'the condition is never met',
  any_changed: 'no files changed',
  code_changed: 'no code changed',
  python_changed: 'no Python files changed',
  tests_changed: 'no test files changed',
  deps_changed: 'no dependency files changed',
};

/** Returns why a gate whose condition is not met does not run. */
export const describeUnmetGateCondition = (condition: GateCondition): string =>
  typeof condition === 'string' ? UNMET[condition] : `no file matches ${condition.changed.join(', ')}`;

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

const PROSE = /\.(md|markdown|mdx|rst|adoc|png|jpe?g|gif|webp|svg|ico|pdf)$/i;
const PROSE_NAMES = /^(LICEN[CS]E|NOTICE|AUTHORS|CONTRIBUTORS|CODEOWNERS|CHANGELOG|README)$/;
/** Text and pictures for people, which no tool runs. */
export const isDocumentationPath = (path: string): boolean =>
  PROSE.test(path) || PROSE_NAMES.test(nameOf(path));

/** Manifests and locks of dependencies, in any folder. */
const isDependencyFile = compilePathFilter(
  [
    'pyproject.toml',
    'setup.{py,cfg}',
    'requirements*',
    '*requirements*.{txt,in}',
    'requirements/**',
    'constraints*.txt',
    'Pipfile{,.lock}',
    '{poetry,uv,pdm,pixi}.lock',
    'pylock*.toml',
    'environment.y{,a}ml',
    'package.json',
    'package-lock.json',
    'npm-shrinkwrap.json',
    'yarn.lock',
    'pnpm-{lock,workspace}.yaml',
    'bun.lock{,b}',
    'deno.{json,jsonc,lock}',
    'go.{mod,sum,work,work.sum}',
    'Cargo.{toml,lock}',
  ].map((glob) => `**/${glob}`),
);

const HOLDS: Record<NamedCondition, (paths: readonly string[]) => boolean> = {
  always: () => true,
  any_changed: (paths) => paths.length > 0,
  code_changed: (paths) => paths.some((path) => !isDocumentationPath(path)),
  python_changed: (paths) => paths.some((path) => path.endsWith('.py')),
  // Rust keeps tests beside the code.
  tests_changed: (paths) => paths.some((path) => isTestPath(path) || path.endsWith('.rs')),
  deps_changed: (paths) => paths.some(isDependencyFile),
};

/** Whether a condition holds for the changed paths, deleted and old names of renamed files included. */
export function isGateConditionMet(condition: GateCondition, paths: readonly string[]): boolean {
  if (typeof condition === 'string') return HOLDS[condition](paths);
  return paths.some(compilePathFilter(condition.changed));
}
