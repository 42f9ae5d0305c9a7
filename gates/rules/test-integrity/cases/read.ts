import { grammarOf, languageOf } from '../../../code/language.ts';
import { parse } from '../../../code/parse.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { Unreadable } from '../../../code/unreadable.ts';
import { exits } from '../../suppressions/code/exits.ts';
import { runnerPatches } from '../../suppressions/code/patches.ts';
import { aliasesOf } from '../../suppressions/code/paths.ts';
import type { Modules } from './bindings.ts';
import { javascriptTests } from './javascript.ts';
import type { Oddity, ReadTests } from './model.ts';
import { pythonTests } from './python.ts';

/** Longest test, in characters, that is read. */
const MAX_CHARACTERS = 512 * 1_024;
const READERS = { python: pythonTests, javascript: javascriptTests } as const;

/**
 * The tests of a file, from its syntax tree; null in other languages than Python, JavaScript and TypeScript, and for what cannot
 * be read.
 * @param modules what is known of the modules that it imports.
 */
export async function readTests(path: string, text: string, modules: Modules): Promise<ReadTests | null> {
  const grammar = grammarOf(path);
  const language = grammar && languageOf(grammar);
  if (
    grammar === null ||
    (language !== 'python' && language !== 'javascript') ||
    text.length > MAX_CHARACTERS
  )
    return null;
  try {
    const { root } = await parse(grammar, text);
    const { cases, oddities, made } = READERS[language](root, modules);
    return { cases, made, oddities: [...oddities, ...endings(root), ...replaced(root)] };
  } catch (error) {
    if (error instanceof Unreadable || error instanceof RangeError) return null;
    throw error;
  }
}

/** Ways in which a file of tests ends the process before all of them have run. */
const endings = (root: Syntax): Oddity[] =>
  exits(root, aliasesOf(root), false).flatMap(({ weight, line, message }) =>
    weight === 'fails' ? [{ rule: 'test_ends_process', line, message }] : [],
  );

const replaced = (root: Syntax): Oddity[] =>
  runnerPatches(root, aliasesOf(root)).map(({ rule, line, message }) => ({ rule, line, message }));
