import type { Tree, TreeCursor } from '@vscode/tree-sitter-wasm';
import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import type { Grammar } from '../../core/language.ts';
import { type LoadedGrammar, loadGrammar } from './load-grammar.ts';
import { type SyntaxNode, toSyntaxNode } from './syntax-node.ts';
import { UnreadableCodeError } from './unreadable-code-error.ts';

/** Largest file, in bytes, that is parsed. Larger ones are generated, or made to be too large. */
export const MAX_SOURCE_BYTES = 2 * 1_048_576;
/** Longest time for one file: about ten times what 2 MB of ordinary code take. */
const PARSE_MS = 10_000;

/** Code that parses only in parts. `line` is 1-based. */
export interface SyntaxProblem {
  readonly line: number;
  /** How many places there are; the line is that of the first. */
  readonly count: number;
}

/**
 * Parses code and hands the tree to `use`, which must not keep it.
 * @throws Unreadable when it is too large, or takes too long.
 */
export async function withSyntaxTree<T>(name: Grammar, source: string, use: (tree: Tree) => T): Promise<T> {
  if (Buffer.byteLength(source) > MAX_SOURCE_BYTES)
    throw new UnreadableCodeError(`is larger than ${MAX_SOURCE_BYTES / 1_048_576} MB`);
  const loaded = await loadGrammar(name);
  const tree = parsed(loaded, source);
  try {
    return use(tree);
  } finally {
    tree.delete();
  }
}

function parsed({ parser }: LoadedGrammar, source: string): Tree {
  const until = readThreadCpuMs() + PARSE_MS;
  let tree: Tree | null = null;
  try {
    tree = parser.parse(source, null, { progressCallback: () => readThreadCpuMs() > until });
  } catch (error) {
    // Code that makes the parser itself give up.
    throw new UnreadableCodeError(
      `cannot be parsed: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
  if (tree) return tree;
  parser.reset();
  throw new UnreadableCodeError(`takes longer than ${PARSE_MS / 1_000} s to parse`);
}

/** What is wrong with the syntax; null when nothing is. The parser goes on after an error, so the rest can be looked at. */
export function findSyntaxProblem(tree: Tree): SyntaxProblem | null {
  if (!tree.rootNode.hasError) return null;
  const cursor = tree.walk();
  try {
    let count = 0;
    let line = 1;
    do {
      if (cursor.nodeType !== 'ERROR' && !cursor.nodeIsMissing) continue;
      if (count++ === 0) line = cursor.startPosition.row + 1;
    } while (advance(cursor));
    return { line, count: Math.max(1, count) };
  } finally {
    cursor.delete();
  }
}

/** The next node in the order of the source; false after the last. */
function advance(cursor: TreeCursor): boolean {
  if (cursor.gotoFirstChild()) return true;
  while (!cursor.gotoNextSibling()) if (!cursor.gotoParent()) return false;
  return true;
}

/** The whole syntax tree of a file, and what is wrong with it. @throws Unreadable */
export const parseSource = (
  name: Grammar,
  source: string,
): Promise<{ readonly root: SyntaxNode; readonly problem: SyntaxProblem | null }> =>
  withSyntaxTree(name, source, (tree) => ({
    root: toSyntaxNode(tree.rootNode, source),
    problem: findSyntaxProblem(tree),
  }));
