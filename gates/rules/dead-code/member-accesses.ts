import { normalizeIdentifier } from '../../code/identifier-index.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import type { Language } from '../../core/language.ts';

/** Node types of `owner.name`, with the places of both. */
const MEMBERS: Readonly<Record<Language, Readonly<Record<string, readonly [owner: string, name: string]>>>> =
  {
    python: { attribute: ['object', 'attribute'] },
    javascript: { member_expression: ['object', 'property'], nested_type_identifier: ['module', 'name'] },
    go: { selector_expression: ['operand', 'field'], qualified_type: ['package', 'name'] },
    rust: { scoped_identifier: ['path', 'name'], scoped_type_identifier: ['path', 'name'] },
  };

/** Places where one of the names is taken from one of the owners. */
export function* findMemberAccesses(
  root: SyntaxNode,
  language: Language,
  owners: ReadonlySet<string>,
  names: ReadonlySet<string>,
): Generator<{ readonly name: string; readonly line: number }> {
  const shapes = MEMBERS[language];
  for (const node of root.walk()) {
    const shape = shapes[node.type];
    const owner = shape && node.childForField(shape[0]);
    const member = shape && node.childForField(shape[1]);
    if (!owner || !member) continue;
    const name = normalizeIdentifier(language, member);
    if (names.has(name) && owners.has(normalizeIdentifier(language, owner).replace(/\s/g, '')))
      yield { name, line: member.line };
  }
}
