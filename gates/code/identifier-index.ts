import type { Language } from '../core/language.ts';
import { classifyGoIdentifier } from './names/go.ts';
import type { IdentifierRole } from './names/identifier-role.ts';
import { classifyJavascriptIdentifier } from './names/javascript.ts';
import { classifyPythonIdentifier } from './names/python.ts';
import { classifyRustIdentifier } from './names/rust.ts';
import { decodeIdentifier, normalizePythonIdentifier } from './parsing/string-literal.ts';
import type { SyntaxNode } from './parsing/syntax-node.ts';

/** Identifiers of a file by name. Scopes are not told apart: who binds a name anywhere may mean it everywhere. */
export interface IdentifierIndex {
  readonly bindings: ReadonlyMap<string, readonly SyntaxNode[]>;
  readonly imports: ReadonlyMap<string, readonly SyntaxNode[]>;
  readonly uses: ReadonlyMap<string, readonly SyntaxNode[]>;
}

const ROLES: Readonly<Record<Language, (node: SyntaxNode) => IdentifierRole>> = {
  python: classifyPythonIdentifier,
  javascript: classifyJavascriptIdentifier,
  go: classifyGoIdentifier,
  rust: classifyRustIdentifier,
};

/** The name that an identifier stands for in its language. */
export const normalizeIdentifier = (language: Language, node: SyntaxNode): string =>
  language === 'python' ? normalizePythonIdentifier(node.text) : decodeIdentifier(node);

export function indexIdentifiers(root: SyntaxNode, language: Language): IdentifierIndex {
  const maps = {
    binds: new Map<string, SyntaxNode[]>(),
    imports: new Map<string, SyntaxNode[]>(),
    uses: new Map<string, SyntaxNode[]>(),
  };
  for (const node of root.walk()) {
    const role = ROLES[language](node);
    if (role === null) continue;
    const name = normalizeIdentifier(language, node);
    const list = maps[role].get(name);
    if (list) list.push(node);
    else maps[role].set(name, [node]);
  }
  return { bindings: maps.binds, imports: maps.imports, uses: maps.uses };
}
