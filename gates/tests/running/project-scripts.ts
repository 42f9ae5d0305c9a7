import type { PatchToCheck } from '../../core/patch-to-check.ts';

export type ProjectScriptKind = 'lint' | 'type_check' | 'tests';

/** Names under which projects keep the scripts in their package.json. */
export const PROJECT_SCRIPT_NAMES: Readonly<Record<ProjectScriptKind, readonly string[]>> = {
  lint: ['lint'],
  type_check: ['typecheck', 'type-check', 'type_check', 'types'],
  tests: ['test'],
};
/** What `npm init` writes. */
const NO_TEST = /no test specified/;

/** The command of the project's own script in package.json, or null when it has none. */
export async function findProjectScript(
  subject: Pick<PatchToCheck, 'baseFile'>,
  kind: ProjectScriptKind,
): Promise<string | null> {
  const script = findScriptName(await subject.baseFile('package.json'), PROJECT_SCRIPT_NAMES[kind]);
  return script === null ? null : `npm run --silent ${script}`;
}

/** The first of some scripts that a package.json has; what `npm init` writes is none. */
export function findScriptName(text: string | null, names: readonly string[]): string | null {
  if (text === null) return null;
  try {
    const { scripts } = JSON.parse(text) as { scripts?: Record<string, unknown> };
    return (
      names.find((name) => {
        const script = scripts?.[name];
        return typeof script === 'string' && !NO_TEST.test(script);
      }) ?? null
    );
  } catch {
    return null;
  }
}
