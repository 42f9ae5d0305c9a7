import type { IdentifierIndex } from '../../code/identifier-index.ts';
import type { ImportReference } from '../../code/imports/import-reference.ts';
import type { CodeIssue } from '../../code/parsing/code-issue.ts';
import { evaluateConstantString } from '../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import type { Language } from '../../core/language.ts';

export interface ParsedCodeFile {
  readonly path: string;
  readonly language: Language;
  readonly root: SyntaxNode;
  readonly names: IdentifierIndex;
  readonly imports: readonly ImportReference[];
  /** Names that other modules import from this one. */
  readonly importedByOthers: ReadonlySet<string>;
}

/** Imports whose names are not used in the file. `_names`, re-exports and imports for their effect are not meant. */
export function findUnusedImports({
  path,
  language,
  root,
  names,
  imports,
  importedByOthers,
}: ParsedCodeFile): CodeIssue[] {
  if (/(^|\/)__init__\.pyi?$|\.pyi$|\.d\.[cm]?ts$/.test(path)) return [];
  const mentioned = mentions(language, root);
  const isUsed = (name: string): boolean =>
    names.uses.has(name) || mentioned.has(name) || importedByOthers.has(name);
  return imports
    .filter(
      ({ reexports, specifier, kind }) => !reexports && specifier !== '__future__' && kind !== 'contains',
    )
    .flatMap((reference) => reference.names.map(({ local }) => ({ local, reference })))
    .flatMap(({ local, reference }): CodeIssue[] => {
      if (local === null || local.startsWith('_') || isExempt(language, reference, local)) return [];
      const spellings = language === 'go' ? goNames(reference.specifier ?? '', local) : [local];
      if (spellings.some(isUsed)) return [];
      return [
        {
          rule: 'unused_import',
          key: `${reference.specifier} ${local}`,
          line: reference.line,
          message: `imports ${local}, which is not used`,
        },
      ];
    });
}

function isExempt(language: Language, { specifier }: ImportReference, local: string): boolean {
  // A trait is used by calling its methods, and a derive by its attribute.
  if (language === 'rust') return /^[A-Z]/.test(local);
  // `import . "x"` has no name; what JSX is compiled to is not in the text.
  if (language === 'go') return local === '.';
  return language === 'javascript' && (/^(?:React|h|Fragment)$/.test(local) || specifier === null);
}

/** A Go package may be called otherwise than the last part of its path. */
function goNames(path: string, local: string): string[] {
  const parts = path.split('/');
  return [...new Set([local, ...parts.slice(-2), ...parts.slice(-2).flatMap((part) => part.split(/[-.]/))])];
}

/** Words that are not identifiers to the parser, and still use a name: annotations in strings, `__all__`, types in JSDoc. */
function mentions(language: Language, root: SyntaxNode): Set<string> {
  const words = new Set<string>();
  const add = (text: string): void => {
    for (const word of text.match(/[\p{L}_$][\p{L}\p{N}_$]*/gu) ?? []) words.add(word);
  };
  for (const node of root.walk()) {
    if (language === 'javascript' && node.type === 'comment' && /^\/\*\*[\s\S]*[@{]/.test(node.text))
      add(node.text);
    // `import a as a` says that it is meant for others.
    if (
      node.type === 'aliased_import' &&
      node.childForField('name')?.text === node.childForField('alias')?.text
    )
      add(node.childForField('alias')?.text ?? '');
    if (language === 'python' && node.type === 'string' && namesThings(node))
      add(evaluateConstantString(node) ?? '');
    if (language === 'python' && node.type === 'comment' && /^#\s*type:/.test(node.text)) add(node.text);
  }
  return words;
}

/** Whether a text stands where Python reads names in it: in an annotation, in `__all__`, in `cast("Type", …)`. */
function namesThings(node: SyntaxNode): boolean {
  for (const { type, children } of node.ancestors()) {
    if (type === 'type') return true;
    if (type === 'assignment' || type === 'augmented_assignment') return children[0]?.text === '__all__';
    if (type === 'call')
      return /^(?:typing\.)?(?:cast|TypeVar|NewType|ForwardRef)$|^__all__\./.test(children[0]?.text ?? '');
    if (type === 'block') return false;
  }
  return false;
}
