import { isTestPath } from '../../../../../shared/contract/evidence/test-path.ts';
import { readBlobs } from '../../../../../workspace/git/read-blobs.ts';
import type { CodeFile } from '../../../../code/code-files.ts';
import { findReachableModules, moduleOfPath } from '../../../../code/import-graph.ts';
import type { RevisionCode } from '../../../../code/project-code.ts';
import { type Language, languageOfGrammar } from '../../../../core/language.ts';
import type { PatchToCheck } from '../../../../core/patch-to-check.ts';
import { writeTreeWithRewrittenFunctions } from '../rewrite-functions.ts';
import { buildJavascriptCallRecorder } from './javascript.ts';
import { buildPythonCallRecorder } from './python.ts';
import {
  type CallRecordingLimits,
  NEIGHBOUR_RECORDING_LIMITS,
  type ReplayedReturnValues,
} from './recorded-calls.ts';

/** Variable of the environment that names the file into which watched functions write. */
export const CALL_RECORDING_FILE_VARIABLE = 'ASSAY_MOVED';

export interface CallRecordingOptions {
  /** What they answer in the place of their own: a test that stops at the first difference would ask for no more. */
  readonly answers?: ReplayedReturnValues;
  readonly extent?: CallRecordingLimits;
}

/**
 * A tree whose functions write down what tests ask of them, what they answer, and what they answer to what lies beside that. Only in
 * Python and JavaScript, where a value can be moved without knowing its type beforehand.
 * @param computing files whose functions may be asked for anything.
 */
export const writeTreeWithCallRecording = (
  subject: Pick<PatchToCheck, 'store'>,
  tree: string,
  computing: ReadonlySet<string>,
  { answers = new Map(), extent = NEIGHBOUR_RECORDING_LIMITS }: CallRecordingOptions = {},
): Promise<string | null> =>
  writeTreeWithRewrittenFunctions(subject, tree, {
    inFunctions: ({ language, node, body, name, path }) => {
      if (!computing.has(path)) return [];
      const known = `${path}#${name}`;
      const told = answers.get(known) ?? {};
      if (language === 'python') return buildPythonCallRecorder(node, known, told, extent);
      return language === 'javascript' ? buildJavascriptCallRecorder(node, body, known, told, extent) : [];
    },
  });

/** Modules that compute, and reach nothing outside of the process: no file, no other process, no network. */
const PURE_MODULES: Readonly<Partial<Record<Language, ReadonlySet<string>>>> = {
  python: new Set(
    '__future__ abc array base64 binascii bisect calendar cmath collections colorsys contextlib copy dataclasses datetime decimal difflib enum fractions functools hashlib heapq hmac html itertools json keyword math numbers operator random re statistics string struct textwrap types typing typing_extensions unicodedata uuid warnings zlib zoneinfo'.split(
      ' ',
    ),
  ),
  javascript: new Set('assert crypto path punycode querystring string_decoder url util'.split(' ')),
};

/** What reaches outside without an import. */
const IMPURE_NAMES: Readonly<Partial<Record<Language, RegExp>>> = {
  python: /\b(?:open|exec|eval|compile|input|breakpoint|globals|__import__|__builtins__)\b/,
  javascript:
    /\b(?:process|globalThis|global|window|document|self|fetch|XMLHttpRequest|WebSocket|eval|Function|Deno|Bun|localStorage|import\.meta)\b/,
};

/**
 * The files whose functions may be asked for anything: they only compute, and so does all that they import. A function that deletes a
 * folder must not be asked to delete another one, on whosever machine this is.
 */
export async function findSideEffectFreeFiles(
  { store }: Pick<PatchToCheck, 'store'>,
  side: RevisionCode,
): Promise<ReadonlySet<string>> {
  const files = [...side.files.code.values()].filter(({ path }) => !isTestPath(path));
  const texts = await readBlobs(
    store,
    files.map(({ objectId }) => objectId),
  );
  const own = new Map<string, boolean>(
    files.map((file) => [
      moduleOfPath(file.path),
      isPureFile(file, side, texts.get(file.objectId)?.toString('utf8') ?? ''),
    ]),
  );
  return new Set(
    files.flatMap(({ path }) => {
      const all = findReachableModules([moduleOfPath(path)], (from) =>
        (side.importGraph.outgoingEdges.get(from) ?? []).map(({ to }) => to),
      );
      return [...all].every((module) => own.get(module) === true) ? [path] : [];
    }),
  );
}

function isPureFile(file: CodeFile, side: RevisionCode, text: string): boolean {
  const language = languageOfGrammar(file.grammar);
  const allowed = PURE_MODULES[language];
  if (allowed === undefined || IMPURE_NAMES[language]?.test(text) !== false) return false;
  const inside = new Set(
    (side.importGraph.outgoingEdges.get(moduleOfPath(file.path)) ?? []).map(({ specifier }) => specifier),
  );
  return side
    .importsOfFile(file)
    .every(
      ({ specifier }) =>
        specifier !== null &&
        (inside.has(specifier) || allowed.has(specifier.replace(/^node:/, '').split(/[./]/)[0] ?? '')),
    );
}
