import { evaluateConstantString } from '../../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';

/** What local names stand for, as dotted names: `exit` for `process.exit`, `T` for `unittest.TestCase`. */
export type NameAliases = ReadonlyMap<string, string>;

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
export function resolveDottedName(node: SyntaxNode | null, aliases: NameAliases): string | null {
  const parts: string[] = [];
  for (let at = node; at && parts.length < MAX_PARTS; ) {
    if (WRAPPERS.has(at.type)) at = at.namedChildren[0] ?? null;
    else if (at.type === 'member_expression' || at.type === 'attribute') {
      parts.unshift((at.childForField('property') ?? at.childForField('attribute'))?.text ?? '*');
      at = at.childForField('object');
    } else if (at.type === 'subscript_expression' || at.type === 'subscript') {
      parts.unshift(
        evaluateConstantString(at.childForField('index') ?? at.childForField('subscript')) ?? '*',
      );
      at = at.childForField('object') ?? at.childForField('value');
    } else if (at.type === 'call_expression' || at.type === 'call') {
      const module = getImportedModuleName(at);
      if (module !== null) return [module, ...parts].join('.').replace(GLOBALS, '');
      const [object, name] = at.childForField('function')?.text === 'getattr' ? getCallArguments(at) : [];
      if (!object || !name) return null;
      parts.unshift(evaluateConstantString(name) ?? '*');
      at = object;
    } else if (at.type === 'identifier' || at.type === 'this' || at.type === 'meta_property') {
      const text = at.text;
      return [aliases.get(text) ?? text, ...parts].join('.').replace(GLOBALS, '');
    } else return null;
  }
  return null;
}

export const getCallArguments = (call: SyntaxNode): SyntaxNode[] =>
  (call.childForField('arguments')?.namedChildren ?? []).filter(({ type }) => type !== 'comment');

const LOADERS = /^(?:require|import|__import__|(?:importlib\.)?import_module|module\.require)$/;

/** The module that a call loads. */
export function getImportedModuleName(call: SyntaxNode): string | null {
  const callee = call.childForField('function');
  if (callee === null || callee.end - callee.start > 40 || !LOADERS.test(callee.text)) return null;
  const name = evaluateConstantString(getCallArguments(call)[0] ?? null);
  return name === null ? null : name.replace(/^node:/, '');
}

/** Names that a file gives to modules and their members. Scopes are not told apart. */
export function collectNameAliases(root: SyntaxNode): NameAliases {
  const aliases = new Map<string, string>();
  // Twice, so that an alias of an alias is known whatever the order.
  for (let round = 0; round < 2; round++) for (const node of root.walk()) learn(node, aliases);
  return aliases;
}

function learn(node: SyntaxNode, aliases: Map<string, string>): void {
  switch (node.type) {
    case 'import_statement':
    case 'import_from_statement':
      imported(node, aliases);
      break;
    case 'variable_declarator':
    case 'assignment':
      assigned(
        node.childForField('name') ?? node.childForField('left'),
        node.childForField('value') ?? node.childForField('right'),
        aliases,
      );
  }
}

function assigned(name: SyntaxNode | null, value: SyntaxNode | null, aliases: Map<string, string>): void {
  const path = name && value ? resolveDottedName(value, aliases) : null;
  if (!name || path === null) return;
  if (name.type === 'identifier') {
    if (path !== name.text && !path.startsWith(`${name.text}.`)) aliases.set(name.text, path);
    return;
  }
  if (name.type !== 'object_pattern') return;
  for (const each of name.namedChildren) {
    if (each.type === 'shorthand_property_identifier_pattern') aliases.set(each.text, `${path}.${each.text}`);
    else if (each.type === 'object_assignment_pattern')
      aliases.set(each.childForField('left')?.text ?? '', `${path}.${each.childForField('left')?.text}`);
    else if (each.type === 'pair_pattern')
      aliases.set(
        each.childForField('value')?.text ?? '',
        `${path}.${each.childForField('key')?.text ?? ''}`,
      );
  }
}

function imported(statement: SyntaxNode, aliases: Map<string, string>): void {
  const source = evaluateConstantString(statement.childForField('source'));
  if (source !== null) {
    const module = source.replace(/^node:/, '');
    for (const node of statement.walk()) {
      if (node.type === 'import_specifier') {
        const name = node.childForField('name')?.text ?? '';
        aliases.set(node.childForField('alias')?.text ?? name, `${module}.${name}`);
      } else if (node.type === 'namespace_import') aliases.set(node.namedChildren[0]?.text ?? '', module);
      else if (node.type === 'identifier' && node.parent?.type === 'import_clause')
        aliases.set(node.text, module);
    }
    return;
  }
  const module = statement.childForField('module_name')?.text ?? '';
  for (const each of statement.childrenForField('name')) {
    const name = (each.type === 'aliased_import' ? each.childForField('name') : each)?.text ?? '';
    const local = each.type === 'aliased_import' ? (each.childForField('alias')?.text ?? '') : name;
    if (module !== '') aliases.set(local, `${module}.${name}`);
    else if (each.type === 'aliased_import') aliases.set(local, name);
  }
}
