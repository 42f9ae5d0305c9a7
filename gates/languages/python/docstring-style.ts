import type { ProjectFiles } from '../../core/project-files.ts';

const FILES = ['pyproject.toml', 'ruff.toml', '.ruff.toml'];
const CONVENTION = /^[ \t]*convention[ \t]*=[ \t]*["'](google|numpy)["']/m;

/** The style of docstrings that the base configures for a checker of them; null where it names none, or one without sections. */
export async function readDocstringStyle(project: Pick<ProjectFiles, 'baseFile'>): Promise<string | null> {
  for (const file of FILES) {
    const style = CONVENTION.exec((await project.baseFile(file)) ?? '')?.[1];
    if (style !== undefined) return style;
  }
  return null;
}
