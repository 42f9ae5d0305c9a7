import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  MAX_OMITTED_REVIEW_CONTEXT_PARTS,
  type ReviewContext,
  type ReviewContextPart,
} from '../../shared/contract/evidence/schema.ts';
import { isTestPath } from '../../shared/contract/evidence/test-path.ts';
import { splitDiffByFile } from '../../shared/reviews/judging/diff-excerpt.ts';
import { type GitStore, runGitInStore } from '../../workspace/git/git-store.ts';
import { grammarOfPath } from '../core/language.ts';

/** Most characters of all parts together: what reviewers are shown of the patched tree. */
export const MAX_REVIEW_CONTEXT_CHARS = 48_000;
/** Most bytes that are read of each answer of git. */
const MAX_DIFF_BYTES = 8 * 1_048_576;
const MAX_GREP_BYTES = 2 * 1_048_576;
const TIMEOUT_MS = 30_000;
/** Most names that are looked up, and most characters of one function that refers to them. */
const MAX_NAMES = 40;
const MAX_FUNCTION_CHARS = 4_000;

/** How git finds the function around a line; JavaScript has no pattern of its own in git. */
const ATTRIBUTES = `*.py diff=python
*.go diff=golang
*.rs diff=rust
*.js diff=script
*.jsx diff=script
*.mjs diff=script
*.cjs diff=script
*.ts diff=script
*.tsx diff=script
*.mts diff=script
`;
const SCRIPT_FUNCTION = [
  '^(export[[:space:]]+)?(const|let|var)[[:space:]].*$',
  '^[[:space:]]*((export|default|async)[[:space:]]+)*(function|class|describe|it|test)[[:space:](*].*$',
  '^[[:space:]]*((async|static|public|private|protected|get|set)[[:space:]]+)*#?[A-Za-z_$][A-Za-z0-9_$]*[[:space:]]*\\([^;]*\\)[^;]*\\{[[:space:]]*$',
].join('\n');

/** A definition in a line of a diff, changed or around what is changed. */
const DEFINITION =
  /^[ +-]\s*(?:(?:export|default|async|static|public|private|pub(?:\([^)]*\))?|unsafe|const)\s+)*(?:function\*?|def|fn|func(?:\s*\([^)]*\))?|class|struct|enum|trait|type|interface)\s+([A-Za-z_$][\w$]*)/;
/** A variable of a module, or one that holds a function; others are local. */
const VARIABLE =
  /^[ +-](?:export\s+)?(?:const|let|var|static)\s+(?:mut\s+)?([A-Za-z_$][\w$]*)|^[ +-]\s+(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*(?:async\s*)?(?:function|\([^)]*\)\s*(?::[^=]+)?=>)/;
const METHOD =
  /^[ +-]\s+(?:(?:async|static|get|set|public|private|protected)\s+)*([A-Za-z_$][\w$]*)\s*\([^;]*\)[^;]*\{\s*$/;
const NO_METHODS = new Set(['if', 'for', 'while', 'switch', 'catch', 'function', 'return', 'with']);
/** Names that say too little to look for. */
const MIN_NAME = 3;

/** Returns the names of what a file's diff changes: the last definition before each changed line. */
export function findChangedNames(part: string): string[] {
  const names = new Set<string>();
  let current: string | null = null;
  for (const line of part.split('\n')) {
    if (line.startsWith('@@')) {
      current = null;
      const heading = line.replace(/^@@.*?@@ /, '');
      if (heading !== line) current = DEFINITION.exec(` ${heading}`)?.[1] ?? null;
      continue;
    }
    const method = METHOD.exec(line)?.[1];
    const variable = VARIABLE.exec(line);
    const found =
      DEFINITION.exec(line)?.[1] ??
      variable?.[1] ??
      variable?.[2] ??
      (method !== undefined && !NO_METHODS.has(method) ? method : null);
    if (found) current = found;
    const isChanged = /^[+-](?![+-]{2} )/.test(line);
    if (isChanged && current !== null && current.length >= MIN_NAME) names.add(current);
  }
  return [...names];
}

const pathOf = (part: string): string =>
  /^\+\+\+ b\/(.*)$/m.exec(part)?.[1] ?? /^--- a\/(.*)$/m.exec(part)?.[1] ?? '';

/** A line that brings a name in without using it. */
const IMPORT = /^\s*(?:$|import\b|from\b|use\b|export\b.*\bfrom\b|(?:const|let|var)\b.*\brequire\()/;

/** Splits what `git grep --function-context` prints into functions; `--` stands between them. */
function parseFunctions(output: string, tree: string): { path: string; text: string }[] {
  return output.split(/^--$/m).flatMap((block) => {
    const lines = block.split('\n').filter((line) => line !== '');
    const path = lines[0]?.split('\0')[0]?.slice(tree.length + 1);
    if (path === undefined || lines.every((line) => IMPORT.test(line.split('\0')[2] ?? ''))) return [];
    const text = lines
      .map((line) => {
        const [, number = '', code = ''] = line.split('\0');
        return `${number}: ${code}`;
      })
      .join('\n');
    return [{ path, text: text.slice(0, MAX_FUNCTION_CHARS) }];
  });
}

/**
 * Collects what reviewers are shown of a patch: changes with their whole functions, then tests and callers of what is changed.
 * Reads the two trees with git alone and runs nothing of them.
 */
export async function collectReviewContext(
  store: GitStore,
  base: string,
  tree: string,
): Promise<ReviewContext> {
  // The environment of every git process says that there is no other file of attributes.
  await mkdir(join(store.dir, 'info'), { recursive: true });
  await writeFile(join(store.dir, 'info', 'attributes'), ATTRIBUTES);
  const settings = ['-c', `diff.script.xfuncname=${SCRIPT_FUNCTION}`];
  const options = { maxOutputBytes: MAX_DIFF_BYTES, timeoutMs: TIMEOUT_MS };
  const diff = await runGitInStore(
    store,
    [...settings, 'diff-tree', '-r', '-p', '-W', '--no-color', '--no-ext-diff', '--find-renames', base, tree],
    options,
  );
  const files = splitDiffByFile(diff.stdout.toString('utf8')).filter((part) => part.startsWith('diff --git'));
  const isCode = (part: string): boolean => grammarOfPath(pathOf(part)) !== null;
  const rank = (part: string): number => (isTestPath(pathOf(part)) ? 1 : isCode(part) ? 0 : 2);
  const changes = files
    .toSorted((a, b) => rank(a) - rank(b) || a.length - b.length)
    .map((part): ReviewContextPart => ({ kind: 'change', path: pathOf(part), text: part }));
  const names = [...new Set(files.filter((part) => rank(part) === 0).flatMap(findChangedNames))].slice(
    0,
    MAX_NAMES,
  );
  return selectReviewContext([...changes, ...(await findReferences(store, tree, names, files, settings))]);
}

/** Finds the functions that refer to names, of files that the patch leaves as they are: tests first, then those with most names. */
async function findReferences(
  store: GitStore,
  tree: string,
  names: readonly string[],
  changed: readonly string[],
  settings: readonly string[],
): Promise<ReviewContextPart[]> {
  if (names.length === 0) return [];
  const patterns = names.flatMap((name) => ['-e', name]);
  const grep = ['grep', '-z', '-n', '-I', '-w', '-F', '--function-context', '--no-color', '--full-name'];
  const found = await runGitInStore(store, [...settings, ...grep, ...patterns, tree], {
    maxOutputBytes: MAX_GREP_BYTES,
    timeoutMs: TIMEOUT_MS,
  });
  const paths = new Set(changed.map(pathOf));
  const countNames = (text: string): number => names.filter((name) => text.includes(name)).length;
  return parseFunctions(found.stdout.toString('utf8'), tree)
    .filter(({ path }) => !paths.has(path) && grammarOfPath(path) !== null)
    .map((each): ReviewContextPart => ({ kind: isTestPath(each.path) ? 'test' : 'caller', ...each }))
    .toSorted(
      (a, b) =>
        Number(b.kind === 'test') - Number(a.kind === 'test') ||
        countNames(b.text) - countNames(a.text) ||
        a.text.length - b.text.length,
    );
}

/** Selects parts by relevance until `limit` characters are used; the others are named with their size. */
export function selectReviewContext(
  parts: readonly ReviewContextPart[],
  limit = MAX_REVIEW_CONTEXT_CHARS,
): ReviewContext {
  let room = limit;
  const kept: ReviewContextPart[] = [];
  const omitted: string[] = [];
  const describe = (kind: string, path: string, chars: number): string =>
    `${kind} ${path}: ${chars} characters`;
  for (const part of parts) {
    const { kind, path, text } = part;
    if (text.length <= room) kept.push(part);
    // A change is shown in part rather than not at all.
    else if (kind === 'change' && room > 1_000) {
      const rest = text.length - room;
      kept.push({ ...part, text: `${text.slice(0, room)}\n[${rest} characters of this file are not shown]` });
      omitted.push(describe('rest of the change of', path, rest));
    } else omitted.push(describe(kind, path, text.length));
    room = Math.max(0, room - text.length);
  }
  const named = omitted.slice(0, MAX_OMITTED_REVIEW_CONTEXT_PARTS - 1);
  return {
    parts: kept,
    omitted:
      omitted.length > MAX_OMITTED_REVIEW_CONTEXT_PARTS
        ? [...named, `${omitted.length - named.length} more`]
        : omitted,
  };
}
