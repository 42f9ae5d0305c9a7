import { createHash } from 'node:crypto';
import type { PatchSubject } from '../../../../core/patch-subject.ts';
import { COMPARES } from '../emptied.ts';
import { type TreeEdit, withFunctions } from '../functions.ts';
import { go } from './go.ts';
import type { Arounds, Instead } from './instead.ts';
import { javascript } from './javascript.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';

const AROUND: Arounds = { python, javascript, go, rust };

/** For names that no other file gives. */
const markOf = (path: string): string => createHash('sha256').update(path).digest('hex').slice(0, 8);

/** How the functions of a file are written so that they come to something else. */
export const comingToEdit = (how: Instead, named: ReadonlySet<string>): TreeEdit => ({
  inFunctions: ({ language, node, body, name, path }) => {
    const { of, outermost } = AROUND[language];
    // What tests compare with is to tell that something is off, and must not be off itself.
    if ((!outermost && !named.has(name)) || COMPARES.test(name)) return [];
    const replaced = of(node, body, how, markOf(path));
    // A test that misses an answer is compared with what it does where the same function fails: who cannot fail keeps its answer.
    if (how === 'nothing' && of(node, body, 'fails', markOf(path)).length === 0) return [];
    return replaced;
  },
  atEnd: (language, path) => AROUND[language].atEnd(how, markOf(path)),
});

/**
 * A tree whose code comes to something else than it does.
 * @param named words of the tests: in Go and Rust only functions that they name are changed.
 * @returns null where there is no function of which that can be said, or too much code.
 */
export const comingTo = (
  subject: Pick<PatchSubject, 'store'>,
  tree: string,
  how: Instead,
  named: ReadonlySet<string>,
): Promise<string | null> => withFunctions(subject, tree, comingToEdit(how, named));
