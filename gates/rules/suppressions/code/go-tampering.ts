import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import type { TamperingFinding } from './native-syntax.ts';
import {
  collectStringLiterals,
  createTamperingFinding,
  DETECTS_TEST_RUN_MESSAGE,
  EXIT_ON_IMPORT_MESSAGE,
  getCalleeName,
} from './native-syntax.ts';

const EXITS = /^(?:os|syscall|unix)\.(?:Exit|Kill)$/;
/** Packages whose insides decide how a run ends. */
const RUNNER = /^(?:testing|os|runtime|syscall|internal)[./]/;

/** What a file of Go does to those who check it. A test may ask how it was started. */
export function findGoTampering(root: SyntaxNode, isTest: boolean): TamperingFinding[] {
  const found: TamperingFinding[] = [];
  for (const node of root.walk()) {
    const called = getCalleeName(node);
    if (EXITS.test(called) && isOnLoad(node))
      found.push(createTamperingFinding('ends_process', node, EXIT_ON_IMPORT_MESSAGE));
    if (node.type === 'comment') found.push(...inComment(node));
    if (!isTest && asksForTests(node, called))
      found.push(createTamperingFinding('detects_test_run', node, DETECTS_TEST_RUN_MESSAGE));
  }
  return found;
}

/** In `init`, or in a function that stands in a variable of the package. */
function isOnLoad(node: SyntaxNode): boolean {
  const outer = [...node.ancestors()].at(-2);
  if (outer?.type === 'function_declaration') return outer.childForField('name')?.text === 'init';
  return outer?.type === 'var_declaration';
}

function inComment(comment: SyntaxNode): TamperingFinding[] {
  if (/__attribute__\s*\(\(\s*constructor/.test(comment.text))
    return [createTamperingFinding('ends_process', comment, 'C code that runs as soon as it is loaded')];
  const target = /^\/\/go:linkname\s+\S+\s*(\S*)/.exec(comment.text)?.[1];
  if (target === undefined) return [];
  const weight = RUNNER.test(target) ? 'error' : 'info';
  return [
    createTamperingFinding(
      'runner_patched',
      comment,
      'reaches into another package behind the compiler',
      weight,
    ),
  ];
}

function asksForTests(node: SyntaxNode, called: string): boolean {
  if (called === 'testing.Testing') return true;
  if (called === 'flag.Lookup') return collectStringLiterals(node).some((text) => text.startsWith('test.'));
  const isName =
    called === 'os.Executable' || (node.type === 'index_expression' && node.text === 'os.Args[0]');
  return isName && collectStringLiterals(node).some((text) => text.includes('test'));
}
