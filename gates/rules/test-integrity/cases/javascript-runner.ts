import { FUNCTIONS } from '../../../code/functions.ts';
import type { Syntax } from '../../../code/syntax.ts';
import type { Bindings } from './bindings.ts';
import type { Oddity } from './model.ts';

/** Names under which runners and assertions are called. */
const NAMES = /^(?:x|f)?(?:it|test|specify|describe|suite|context)$|^(?:expect|assert)$/;
/** What a runner or an assertion of one's own must do somewhere. */
const WORKS = /\b(?:throw|assert\w*|expect\w*|fail\w*|reject|test|it|describe|suite|require|extend)\b/;

/** Runners and assertions that a file of tests has from nobody who runs or asserts. */
export function replacedRunner(root: Syntax, { imports }: Bindings): Oddity[] {
  const found: Oddity[] = [];
  for (const node of root.walk()) {
    const name =
      node.type === 'variable_declarator' || node.type === 'function_declaration' ? node.child('name') : null;
    if (name?.type !== 'identifier' || !NAMES.test(name.text)) continue;
    const value = node.type === 'function_declaration' ? node : node.child('value');
    if (value === null || !isMade(value, name.text) || WORKS.test(value.child('body')?.text ?? value.text))
      continue;
    found.push({ rule: 'runner_patched', line: node.line, message: `${name.text} is made to do nothing` });
  }
  for (const [local, { specifier, line }] of imports)
    if (NAMES.test(local) && specifier.startsWith('.'))
      found.push({ rule: 'runner_from_helper', line, message: specifier });
  return found;
}

/** An object or a class cannot be called as a runner, but `context` is a usual name of one; assertions may be its methods. */
const isMade = ({ type }: Syntax, name: string): boolean =>
  FUNCTIONS.has(type) || (/^(?:expect|assert)$/.test(name) && (type === 'object' || type === 'class'));
