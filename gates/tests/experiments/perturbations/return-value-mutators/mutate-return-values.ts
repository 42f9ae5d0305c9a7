import { createHash } from 'node:crypto';
import type { PatchToCheck } from '../../../../core/patch-to-check.ts';
import {
  EQUALITY_FUNCTION_NAME_PATTERN,
  type FunctionRewriteRules,
  type ReturnValueMutation,
  type ReturnValueMutators,
  writeTreeWithRewrittenFunctions,
} from '../rewrite-functions.ts';
import { goReturnValueMutator } from './go.ts';
import { javascriptReturnValueMutator } from './javascript.ts';
import { pythonReturnValueMutator } from './python.ts';
import { rustReturnValueMutator } from './rust.ts';

const MUTATORS: ReturnValueMutators = {
  python: pythonReturnValueMutator,
  javascript: javascriptReturnValueMutator,
  go: goReturnValueMutator,
  rust: rustReturnValueMutator,
};

/** For names that no other file gives. */
const uniqueMark = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 8);

/** How the functions of a file are written so that they come to something else. */
export const createReturnValueRewrite = (
  how: ReturnValueMutation,
  named: ReadonlySet<string>,
): FunctionRewriteRules => ({
  inFunctions: ({ language, node, body, name, path }) => {
    const { editsFor, mutatesOutermostCall } = MUTATORS[language];
    // What tests compare with is to tell that something is off, and must not be off itself.
    if ((!mutatesOutermostCall && !named.has(name)) || EQUALITY_FUNCTION_NAME_PATTERN.test(name)) return [];
    const replaced = editsFor(node, body, how, uniqueMark(path));
    // A test that misses an answer is compared with what it does where the same function fails: who cannot fail keeps its answer.
    if (how === 'nothing' && editsFor(node, body, 'fails', uniqueMark(path)).length === 0) return [];
    return replaced;
  },
  atEnd: (language, path) => MUTATORS[language].textAtEnd(how, uniqueMark(path)),
});

/**
 * A tree whose code comes to something else than it does.
 * @param named words of the tests: in Go and Rust only functions that they name are changed.
 * @returns null where there is no function of which that can be said, or too much code.
 */
export const writeTreeWithMutatedReturnValues = (
  subject: Pick<PatchToCheck, 'store'>,
  tree: string,
  how: ReturnValueMutation,
  named: ReadonlySet<string>,
): Promise<string | null> =>
  writeTreeWithRewrittenFunctions(subject, tree, createReturnValueRewrite(how, named));
