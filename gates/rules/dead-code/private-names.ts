import { type IdentifierIndex, normalizeIdentifier } from '../../code/identifier-index.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import { listDeclaredNames, readJavascriptPublicNames } from '../../code/public-names/javascript.ts';
import type { Language } from '../../core/language.ts';

/** A function, class or method that only this code can call. */
export interface PrivateName {
  readonly name: string;
  readonly line: number;
  /** All of it: a call from inside is not a caller. */
  readonly start: number;
  readonly end: number;
  /** Where callers may be: nowhere but in this file, in the files of its package, or anywhere. */
  readonly visibility: 'file' | 'package' | 'tree';
  /** A method of a class that inherits: somebody else may call it by the name that he expects. */
  readonly isPossibleOverride: boolean;
}

const DEFINITIONS: Readonly<Record<Language, (root: SyntaxNode) => PrivateName[]>> = {
  python: pythonPrivate,
  javascript: javascriptPrivate,
  go: goPrivate,
  rust: rustPrivate,
};

export const findPrivateNames = (root: SyntaxNode, language: Language): PrivateName[] =>
  DEFINITIONS[language](root);

/** Private names that nothing in their own file refers to, from outside of themselves. */
export function findNamesUnusedInFile(
  root: SyntaxNode,
  language: Language,
  names: IdentifierIndex,
): PrivateName[] {
  const all = findPrivateNames(root, language);
  if (all.length === 0) return [];
  const others = otherMentions(root, language);
  // `getattr(self, "_visit_" + kind)` calls what begins like this.
  const beginnings = [...others.keys()].filter((text) => text.length >= MIN_BEGINNING && /[_-]$/.test(text));
  return all.filter(({ name, start, end }) => {
    const outside = (node: SyntaxNode): boolean => node.start < start || node.start >= end;
    if ([...(names.uses.get(name) ?? []), ...(others.get(name) ?? [])].some(outside)) return false;
    return !beginnings.some((text) => name.startsWith(text));
  });
}

/** Shorter texts are the beginning of too many names. */
const MIN_BEGINNING = 4;

/** Members and whole texts by name: `object.name`, `Type::name`, `getattr(object, "name")`. */
function otherMentions(root: SyntaxNode, language: Language): Map<string, SyntaxNode[]> {
  const found = new Map<string, SyntaxNode[]>();
  for (const node of root.walk()) {
    if (!STRINGS.has(node.type) && !(MEMBERS.has(node.type) && isMember(node))) continue;
    const name = normalizeIdentifier(language, node);
    const list = found.get(name);
    if (list) list.push(node);
    else found.set(name, [node]);
  }
  return found;
}

const MEMBERS = new Set([
  'identifier',
  'property_identifier',
  'private_property_identifier',
  'field_identifier',
]);
const STRINGS = new Set(['string_content', 'string_fragment', 'interpreted_string_literal_content']);
/** `object.name`, `Type::name` or a key, and not the place where it is defined. */
const isMember = ({ field, parent }: SyntaxNode): boolean =>
  field === 'attribute' ||
  field === 'property' ||
  field === 'field' ||
  (field === 'name' && parent?.type === 'scoped_identifier');

const found = (name: string, node: SyntaxNode, reach: PrivateName['visibility']): PrivateName => ({
  name,
  line: node.line,
  start: node.start,
  end: node.end,
  visibility: reach,
  isPossibleOverride:
    node.parent?.parent?.type === 'class_definition' &&
    node.parent.parent.childForField('superclasses') !== null,
});

function pythonPrivate(root: SyntaxNode): PrivateName[] {
  const list: PrivateName[] = [];
  for (const node of root.walk()) {
    if (node.type !== 'function_definition' && node.type !== 'class_definition') continue;
    const identifier = node.childForField('name');
    const name = identifier && normalizeIdentifier('python', identifier);
    // What has a decorator is registered with it.
    if (!name?.startsWith('_') || /^_+$|^__.*__$/.test(name) || node.parent?.type === 'decorated_definition')
      continue;
    if (![...node.ancestors()].some(({ type }) => type === 'function_definition'))
      list.push(found(name, node, 'tree'));
  }
  return list;
}

function javascriptPrivate(root: SyntaxNode): PrivateName[] {
  const list: PrivateName[] = [];
  const { names, mayHaveMoreNames } = readJavascriptPublicNames(root);
  const isModule =
    names.size > 0 || root.hasChildOfType('import_statement') || /\brequire\s*\(/.test(root.source);
  for (const node of isModule && !mayHaveMoreNames ? root.namedChildren : [])
    for (const name of callables(node)) if (!names.has(name)) list.push(found(name, node, 'file'));
  for (const node of root.walk()) {
    if (node.type !== 'method_definition' || node.parent?.hasChildOfType('decorator')) continue;
    const name = node.childForField('name');
    const isPrivate =
      name?.type === 'private_property_identifier' ||
      node.firstChildOfType('accessibility_modifier')?.text === 'private';
    if (name && isPrivate && name.text !== 'constructor') list.push(found(name.text, node, 'file'));
  }
  return list;
}

/** Names of functions and classes that a statement declares. */
function callables(statement: SyntaxNode): string[] {
  if (/^(?:(?:generator_)?function|(?:abstract_)?class)_declaration$/.test(statement.type))
    return listDeclaredNames(statement);
  if (statement.type !== 'lexical_declaration') return [];
  return statement.namedChildren
    .filter((each) => /function|^class$/.test(each.childForField('value')?.type ?? ''))
    .flatMap((each) => each.childForField('name')?.text ?? []);
}

function goPrivate(root: SyntaxNode): PrivateName[] {
  return root.namedChildren.flatMap((node) => {
    const specs =
      node.type === 'type_declaration'
        ? node.namedChildren
        : node.type === 'function_declaration'
          ? [node]
          : [];
    return specs.flatMap((spec) => {
      const name = spec.childForField('name')?.text ?? '';
      return /^\p{Ll}/u.test(name) && name !== 'main' && name !== 'init'
        ? [found(name, spec, 'package')]
        : [];
    });
  });
}

function rustPrivate(root: SyntaxNode): PrivateName[] {
  const list: PrivateName[] = [];
  for (const node of root.walk()) {
    if (node.type !== 'function_item' || node.hasChildOfType('visibility_modifier')) continue;
    const name = node.childForField('name')?.text ?? '';
    const before = node.parent?.children[(node.parent?.children.indexOf(node) ?? 0) - 1];
    // An attribute may make it a test, an export or a callback.
    if (name === 'main' || name.startsWith('_') || before?.type === 'attribute_item' || isGiven(node))
      continue;
    list.push(found(name, node, 'tree'));
  }
  return list;
}

/** Whether somebody else decides that a function exists: a trait, a macro, `extern`, or a module of tests. */
const isGiven = (node: SyntaxNode): boolean =>
  node.firstChildOfType('function_modifiers')?.hasChildOfType('extern_modifier') === true ||
  [...node.ancestors()].some(
    (outer) =>
      outer.type === 'trait_item' ||
      outer.type === 'function_item' ||
      outer.type === 'foreign_mod_item' ||
      (outer.type === 'impl_item' && outer.childForField('trait') !== null) ||
      (outer.type === 'mod_item' && /\bcfg\s*\(\s*test\b/.test(previousText(outer))),
  );

const previousText = (node: SyntaxNode): string => {
  const siblings = node.parent?.children ?? [];
  return siblings[siblings.indexOf(node) - 1]?.text ?? '';
};
