import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { parseSync } from '@swc/core';

/** A node of the syntax tree, or a part of one. */
export type SyntaxNode = { readonly [key: string]: unknown };
export const isSyntaxNode = (value: unknown): value is SyntaxNode =>
  typeof value === 'object' && value !== null;

const ROOT = join(import.meta.dirname, '../../..');
export const readSourceText = (file: string): string => readFileSync(join(ROOT, file), 'utf8');

/** What one file declares at its top, and where its other names come from. */
export interface ParsedSource {
  readonly file: string;
  /** Bodies by name; methods also as `.name`, those that only their class can see as `#name`. */
  readonly declarationBodies: ReadonlyMap<string, readonly SyntaxNode[]>;
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
export const getExecutableParts = (node: SyntaxNode): unknown[] =>
  Object.entries(node).flatMap(([key, value]) => (TYPES.has(key) ? [] : [value]));

const wordOf = (value: unknown): string => (isSyntaxNode(value) ? String(value['value'] ?? '') : '');

function importsOf(item: SyntaxNode, file: string): [string, { file: string; name: string }][] {
  const from = wordOf(item['source']);
  if (item['typeOnly'] === true || !from.startsWith('.')) return [];
  const target = relative('.', join(dirname(file), from));
  return (item['specifiers'] as SyntaxNode[]).map((each) => {
    const local = wordOf(each['local']);
    return [local, { file: target, name: each['imported'] ? wordOf(each['imported']) : local }];
  });
}

function methodsOf(declaration: SyntaxNode): [string, SyntaxNode][] {
  return (declaration['body'] as SyntaxNode[]).flatMap((member): [string, SyntaxNode][] => {
    const key = member['key'];
    if (!isSyntaxNode(key)) return [['.constructor', member]];
    return key['type'] === 'PrivateName'
      ? [[`#${wordOf(key) || wordOf(key['id'])}`, member]]
      : [[`.${wordOf(key)}`, member]];
  });
}

function declarationsOf(item: SyntaxNode): [string, SyntaxNode][] {
  const declared = item['type'] === 'ExportDeclaration' ? item['declaration'] : item;
  if (!isSyntaxNode(declared)) return [];
  if (declared['type'] === 'FunctionDeclaration') return [[wordOf(declared['identifier']), declared]];
  // A class stands for its constructor; methods are reached by their names.
  if (declared['type'] === 'ClassDeclaration') return methodsOf(declared);
  if (declared['type'] !== 'VariableDeclaration') return [];
  return (declared['declarations'] as SyntaxNode[]).flatMap((each): [string, SyntaxNode][] => {
    const init = each['init'];
    return isSyntaxNode(init) ? [[wordOf(each['id']), init]] : [];
  });
}

/** By name and text: what is planted changes one file of some hundred. */
const parsed = new Map<string, ParsedSource>();

export function parseSource(file: string, text: string): ParsedSource {
  const key = `${file}\n${text}`;
  const source = parsed.get(key) ?? parse(file, text);
  parsed.set(key, source);
  return source;
}

function parse(file: string, text: string): ParsedSource {
  const items = parseSync(text, { syntax: 'typescript', target: 'es2022' }).body as unknown as SyntaxNode[];
  const bodies = new Map<string, SyntaxNode[]>();
  const imports = new Map<string, { file: string; name: string }>();
  for (const item of items) {
    if (item['type'] === 'ImportDeclaration')
      for (const [local, from] of importsOf(item, file)) imports.set(local, from);
    for (const [name, body] of declarationsOf(item)) bodies.set(name, [...(bodies.get(name) ?? []), body]);
  }
  return { file, declarationBodies: bodies, imports };
}
