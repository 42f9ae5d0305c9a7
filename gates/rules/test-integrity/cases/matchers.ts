import { isFunction } from '../../../code/functions.ts';
import type { Syntax } from '../../../code/syntax.ts';

/** Whether a matcher compares one thing with another, and does not say yes whatever it is asked. */
function compares(fn: Syntax): boolean {
  if (/\bpass\s{0,5}:\s{0,5}(?:true|!0|!!1)\b/.test(fn.text.slice(0, 4_000))) return false;
  for (const node of fn.walk()) {
    if (node.type === 'call_expression' && node.child('function')?.text.slice(0, 20) === 'this.equals')
      return true;
    const [left, right] = [node.child('left'), node.child('right')];
    if (node.type === 'binary_expression' && left && right && left.text !== right.text)
      if (/^(?:[=!]==?|[<>]=?)$/.test(node.child('operator')?.text ?? '')) return true;
  }
  return false;
}

/** Matchers that a file gives to `expect`, by name. */
export function matchersOf(root: Syntax): ReadonlyMap<string, Syntax> {
  const found = new Map<string, Syntax>();
  for (const node of root.walk()) {
    if (node.type !== 'call_expression' || node.child('function')?.text.slice(-20) !== 'expect.extend')
      continue;
    const [given] = node.child('arguments')?.namedChildren ?? [];
    for (const each of given?.type === 'object' ? given.namedChildren : []) {
      const fn = each.type === 'pair' ? each.child('value') : each;
      const name = (each.child('name') ?? each.child('key'))?.text ?? '';
      if (fn && isFunction(fn) && compares(fn)) found.set(name, fn);
    }
  }
  return found;
}
