import { foldPathCase } from '../../../shared/lib/glob/glob.ts';

/** Files that steer no check and are often the work itself, but run wherever the project is installed or built. */
const NAMED =
  /(?:^|\/)(?:setup\.py|build\.rs|binding\.gyp|(?:[^/]*\.)?(?:docker|container)file(?:\.[^/]*)?|(?:docker-)?compose(?:\.[^/]*)?\.ya?ml)$/;

/** Why a person may want to look at a change of this file, which is used as the patch has it; null for most files. */
export const buildScriptReviewReason = (path: string): string | null =>
  NAMED.test(foldPathCase(path)) ? 'runs when the project is installed or built' : null;
