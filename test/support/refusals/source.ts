import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from '@swc/core';

/** A node of the syntax tree, or a part of one. */
export type Node = { readonly [key: string]: unknown };
export const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null;

const ROOT = join(import.meta.dirname, '../../..');
export const readSource = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** What one file declares at its top, and where its other names come from. */
export interface Source {
  readonly file: string;
  /** Bodies by name; methods also as `.name`, those that only their class can see as `#name`. */
  readonly bodies: ReadonlyMap<string, readonly Node[]>;
  /** Local name to the file and the name there. */
  readonly imports: ReadonlyMap<string, { readonly file: string; readonly name: string }>;
}

const TYPES = new Set([
  'typeAnnotation',
  'typeParams',
  'typeArguments',
  'typeParameters',
  'returnType',
  'superTypeParams',
]);
/** The parts of a node that run; its types do not. */
export const partsOf = (node: Node): unknown[] =>
  Object.entries(node).flatMap(([key, value]) => (TYPES.has(key) ? [] : [value]));

const wordOf = (value: unknown): string => (isNode(value) ? String(value['value'] ?? '') : '');

function importsOf(item: Node, file: string): [string, { file: string; name: string }][] {
  const from = wordOf(item['source']);
  if (item['typeOnly'] === true || !from.startsWith('.')) return [];
  const target = relative('.', join(dirname(file), from));
  return (item['specifiers'] as Node[]).map((each) => {
    const local = wordOf(each['local']);
    return [local, { file: target, name: each['imported'] ? wordOf(each['imported']) : local }];
  });
}

function methodsOf(declaration: Node): [string, Node][] {
  return (declaration['body'] as Node[]).flatMap((member): [string, Node][] => {
    const key = member['key'];
    if (!isNode(key)) return [['.constructor', member]];
    return key['type'] === 'PrivateName'
      ? [[`#${wordOf(key) || wordOf(key['id'])}`, member]]
      : [[`.${wordOf(key)}`, member]];
  });
}

function declarationsOf(item: Node): [string, Node][] {
  const declared = item['type'] === 'ExportDeclaration' ? item['declaration'] : item;
  if (!isNode(declared)) return [];
  if (declared['type'] === 'FunctionDeclaration') return [[wordOf(declared['identifier']), declared]];
  // A class stands for its constructor; methods are reached by their names.
  if (declared['type'] === 'ClassDeclaration') return methodsOf(declared);
  if (declared['type'] !== 'VariableDeclaration') return [];
  return (declared['declarations'] as Node[]).flatMap((each): [string, Node][] => {
    const init = each['init'];
    return isNode(init) ? [[wordOf(each['id']), init]] : [];
  });
}

/** By name and text: what is planted changes one file of some hundred. */
const parsed = new Map<string, Source>();

export function parseSource(file: string, text: string): Source {
  const key = `${file}\n${text}`;
  const source = parsed.get(key) ?? parse(file, text);
  parsed.set(key, source);
  return source;
}

function parse(file: string, text: string): Source {
  const items = parseSync(text, { syntax: 'typescript', target: 'es2022' }).body as unknown as Node[];
  const bodies = new Map<string, Node[]>();
  const imports = new Map<string, { file: string; name: string }>();
  for (const item of items) {
    if (item['type'] === 'ImportDeclaration')
      for (const [local, from] of importsOf(item, file)) imports.set(local, from);
    for (const [name, body] of declarationsOf(item)) bodies.set(name, [...(bodies.get(name) ?? []), body]);
  }
  return { file, bodies, imports };
}
