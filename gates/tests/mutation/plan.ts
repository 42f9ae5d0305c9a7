import type { Planned } from '../../core/gate.ts';
import { isOwnCode } from '../../core/language.ts';
import type { ProjectFiles } from '../../core/project-files.ts';
import { languageOfPath, languagesFor } from '../../languages/languages.ts';
import { byProject, MAX_FOLDERS } from '../running/folders.ts';
import { MUTATORS } from './tools.ts';

/** The tools of the changed code's languages, in each project that has some of it. */
export async function planMutation(project: ProjectFiles): Promise<Planned[]> {
  const planned: Planned[] = [];
  for (const language of await languagesFor(project)) {
    const files = project.changedPaths.filter((path) => isOwnCode(path) && languageOfPath(path) === language);
    const { shown, get } = MUTATORS[language];
    const folders = [...(await byProject(project, language, files)).keys()].slice(0, MAX_FOLDERS);
    planned.push(...folders.map((folder) => ({ command: shown, get, folder })));
  }
  return planned;
}
