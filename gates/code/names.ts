import type { Language } from '../core/language.ts';
import { goRole } from './names/go.ts';
import { javascriptRole } from './names/javascript.ts';
import { pythonRole } from './names/python.ts';
import type { Role } from './names/role.ts';
import { rustRole } from './names/rust.ts';
import { identifierName, pythonName } from './parsing/identifier.ts';
import type { Syntax } from './parsing/syntax.ts';

/** Identifiers of a file by name. Scopes are not told apart: who binds a name anywhere may mean it everywhere. */
export interface Names {
  readonly bound: ReadonlyMap<string, readonly Syntax[]>;
  readonly imported: ReadonlyMap<string, readonly Syntax[]>;
  readonly used: ReadonlyMap<string, readonly Syntax[]>;
}

const ROLES: Readonly<Record<Language, (node: Syntax) => Role>> = {
  python: pythonRole,
  javascript: javascriptRole,
  go: goRole,
  rust: rustRole,
};

/** The name that an identifier stands for in its language. */
export const nameIn = (language: Language, node: Syntax): string =>
  language === 'python' ? pythonName(node.text) : identifierName(node);

export function namesOf(root: Syntax, language: Language): Names {
  const maps = {
    binds: new Map<string, Syntax[]>(),
    imports: new Map<string, Syntax[]>(),
    uses: new Map<string, Syntax[]>(),
  };
  for (const node of root.walk()) {
    const role = ROLES[language](node);
    if (role === null) continue;
    const name = nameIn(language, node);
    const list = maps[role].get(name);
    if (list) list.push(node);
    else maps[role].set(name, [node]);
  }
  return { bound: maps.binds, imported: maps.imports, used: maps.uses };
}
