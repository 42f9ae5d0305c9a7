import type { PlannedCommand } from '../../core/gate.ts';
import { isProjectCodePath } from '../../core/language.ts';
import type { ProjectFiles } from '../../core/project-files.ts';
import { languageOfPath, selectLanguages } from '../../languages/languages.ts';
import { groupFilesByProject, MAX_TOOL_FOLDERS } from '../running/tool-folders.ts';
import { MUTATION_TOOLS } from './mutation-tools.ts';

/** The tools of the changed code's languages, in each project that has some of it. */
export async function planMutationToolRuns(project: ProjectFiles): Promise<PlannedCommand[]> {
  const planned: PlannedCommand[] = [];
  for (const language of await selectLanguages(project)) {
    const files = project.changedPaths.filter(
      (path) => isProjectCodePath(path) && languageOfPath(path) === language,
    );
    const { displayCommand, installHint } = MUTATION_TOOLS[language];
    const folders = [...(await groupFilesByProject(project, language, files)).keys()].slice(
      0,
      MAX_TOOL_FOLDERS,
    );
    planned.push(...folders.map((folder) => ({ command: displayCommand, installHint, folder })));
  }
  return planned;
}
