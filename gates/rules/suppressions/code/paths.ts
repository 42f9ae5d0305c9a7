import { stringValue } from '../../../code/parsing/literal.ts';
import type { Syntax } from '../../../code/parsing/syntax.ts';

/** What local names stand for, as dotted names: `exit` for `process.exit`, `T` for `unittest.TestCase`. */
export type Aliases = ReadonlyMap<string, string>;

const WRAPPERS = new Set([
  'parenthesized_expression',
  'await_expression',
  'await',
  'as_expression',
  'satisfies_expression',
  'non_null_expression',
]);
const GLOBALS = /^(?:globalThis|global|window|self)\./;
const MAX_PARTS = 12;

/**
 * The dotted name of an expression, with constant texts put together and aliases followed: `process['ex' + 'it']`,
 * `require('process').exit` and `getattr(os, "_exit")` are as good as the plain way. `*` stands for a part that is computed.
 */
export function pathOf(node: Syntax | null, aliases: Aliases): string | null {
  const parts: string[] = [];
  for (let at = node; at && parts.length < MAX_PARTS; ) {
    if (WRAPPERS.has(at.type)) at = at.namedChildren[0] ?? null;
    else if (at.type === 'member_expression' || at.type === 'attribute') {
      parts.unshift((at.child('property') ?? at.child('attribute'))?.text ?? '*');
      at = at.child('object');
    } else if (at.type === 'subscript_expression' || at.type === 'subscript') {
      parts.unshift(stringValue(at.child('index') ?? at.child('subscript')) ?? '*');
      at = at.child('object') ?? at.child('value');
    } else if (at.type === 'call_expression' || at.type === 'call') {
      const module = loaded(at);
      if (module !== null) return [module, ...parts].join('.').replace(GLOBALS, '');
      const [object, name] = at.child('function')?.text === 'getattr' ? argumentsOf(at) : [];
      if (!object || !name) return null;
      parts.unshift(stringValue(name) ?? '*');
      at = object;
    } else if (at.type === 'identifier' || at.type === 'this' || at.type === 'meta_property') {
      const text = at.text;
      return [aliases.get(text) ?? text, ...parts].join('.').replace(GLOBALS, '');
    } else return null;
  }
  return null;
}

export const argumentsOf = (call: Syntax): Syntax[] =>
  (call.child('arguments')?.namedChildren ?? []).filter(({ type }) => type !== 'comment');

const LOADERS = /^(?:require|import|__import__|(?:importlib\.)?import_module|module\.require)$/;

/** The module that a call loads. */
export function loaded(call: Syntax): string | null {
  const callee = call.child('function');
  if (callee === null || callee.end - callee.start > 40 || !LOADERS.test(callee.text)) return null;
  const name = stringValue(argumentsOf(call)[0] ?? null);
  return name === null ? null : name.replace(/^node:/, '');
}

/** Names that a file gives to modules and their members. Scopes are not told apart. */
export function aliasesOf(root: Syntax): Aliases {
  const aliases = new Map<string, string>();
  // Twice, so that an alias of an alias is known whatever the order.
  for (let round = 0; round < 2; round++) for (const node of root.walk()) learn(node, aliases);
  return aliases;
}

function learn(node: Syntax, aliases: Map<string, string>): void {
  switch (node.type) {
    case 'import_statement':
    case 'import_from_statement':
      imported(node, aliases);
      break;
    case 'variable_declarator':
    case 'assignment':
      assigned(node.child('name') ?? node.child('left'), node.child('value') ?? node.child('right'), aliases);
  }
}

function assigned(name: Syntax | null, value: Syntax | null, aliases: Map<string, string>): void {
  const path = name && value ? pathOf(value, aliases) : null;
  if (!name || path === null) return;
  if (name.type === 'identifier') {
    if (path !== name.text && !path.startsWith(`${name.text}.`)) aliases.set(name.text, path);
    return;
  }
  if (name.type !== 'object_pattern') return;
  for (const each of name.namedChildren) {
    if (each.type === 'shorthand_property_identifier_pattern') aliases.set(each.text, `${path}.${each.text}`);
    else if (each.type === 'object_assignment_pattern')
      aliases.set(each.child('left')?.text ?? '', `${path}.${each.child('left')?.text}`);
    else if (each.type === 'pair_pattern')
      aliases.set(each.child('value')?.text ?? '', `${path}.${each.child('key')?.text ?? ''}`);
  }
}

function imported(statement: Syntax, aliases: Map<string, string>): void {
  const source = stringValue(statement.child('source'));
  if (source !== null) {
    const module = source.replace(/^node:/, '');
    for (const node of statement.walk()) {
      if (node.type === 'import_specifier') {
        const name = node.child('name')?.text ?? '';
        aliases.set(node.child('alias')?.text ?? name, `${module}.${name}`);
      } else if (node.type === 'namespace_import') aliases.set(node.namedChildren[0]?.text ?? '', module);
      else if (node.type === 'identifier' && node.parent?.type === 'import_clause')
        aliases.set(node.text, module);
    }
    return;
  }
  const module = statement.child('module_name')?.text ?? '';
  for (const each of statement.childrenAt('name')) {
    const name = (each.type === 'aliased_import' ? each.child('name') : each)?.text ?? '';
    const local = each.type === 'aliased_import' ? (each.child('alias')?.text ?? '') : name;
    if (module !== '') aliases.set(local, `${module}.${name}`);
    else if (each.type === 'aliased_import') aliases.set(local, name);
  }
}
