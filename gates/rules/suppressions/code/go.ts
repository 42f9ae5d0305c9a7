import type { Syntax } from '../../../code/parsing/syntax.ts';
import type { Deceit } from './model.ts';
import { callee, DETECTS, deceit, ENDS, said } from './native.ts';

const EXITS = /^(?:os|syscall|unix)\.(?:Exit|Kill)$/;
/** Packages whose insides decide how a run ends. */
const RUNNER = /^(?:testing|os|runtime|syscall|internal)[./]/;

/** What a file of Go does to those who check it. A test may ask how it was started. */
export function goDeceits(root: Syntax, isTest: boolean): Deceit[] {
  const found: Deceit[] = [];
  for (const node of root.walk()) {
    const called = callee(node);
    if (EXITS.test(called) && isOnLoad(node)) found.push(deceit('ends_process', node, ENDS));
    if (node.type === 'comment') found.push(...inComment(node));
    if (!isTest && asksForTests(node, called)) found.push(deceit('detects_test_run', node, DETECTS));
  }
  return found;
}

/** In `init`, or in a function that stands in a variable of the package. */
function isOnLoad(node: Syntax): boolean {
  const outer = [...node.ancestors()].at(-2);
  if (outer?.type === 'function_declaration') return outer.child('name')?.text === 'init';
  return outer?.type === 'var_declaration';
}

function inComment(comment: Syntax): Deceit[] {
  if (/__attribute__\s*\(\(\s*constructor/.test(comment.text))
    return [deceit('ends_process', comment, 'C code that runs as soon as it is loaded')];
  const target = /^\/\/go:linkname\s+\S+\s*(\S*)/.exec(comment.text)?.[1];
  if (target === undefined) return [];
  const weight = RUNNER.test(target) ? 'fails' : 'reported';
  return [deceit('runner_patched', comment, 'reaches into another package behind the compiler', weight)];
}

function asksForTests(node: Syntax, called: string): boolean {
  if (called === 'testing.Testing') return true;
  if (called === 'flag.Lookup') return said(node).some((text) => text.startsWith('test.'));
  const isName =
    called === 'os.Executable' || (node.type === 'index_expression' && node.text === 'os.Args[0]');
  return isName && said(node).some((text) => text.includes('test'));
}
