import type { Plan } from '../gate.ts';
import { hasManifest } from '../profiles/choose.ts';
import { LANGUAGES } from '../profiles/languages.ts';
import type { Subject } from '../subject.ts';
import { MUTATORS } from './tools.ts';

/** The tool of the first language that the project has a manifest of. */
export async function planMutation(project: Pick<Subject, 'baseFile'>): Promise<Plan> {
  for (const language of LANGUAGES)
    if (await hasManifest(project, language)) return { command: MUTATORS[language].shown };
  return null;
}
