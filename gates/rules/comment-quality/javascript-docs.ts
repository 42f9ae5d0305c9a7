import { classifyJavascriptIdentifier } from '../../code/names/javascript.ts';
import { decodeIdentifier } from '../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import { readJavascriptPublicNames } from '../../code/public-names/javascript.ts';
import {
  type DocumentedFunction,
  extractFirstSentence,
  type ParsedDoc,
  type SignatureParameter,
} from './doc-model.ts';

const FUNCTION =
  /^(?:function_declaration|generator_function_declaration|function_expression|generator_function|arrow_function|method_definition|function_signature)$/;

/** Exported functions and the public methods of exported classes, where a `/**` comment stands before them. */
export function findDocumentedJavascriptFunctions(root: SyntaxNode): DocumentedFunction[] {
  const { names: exported } = readJavascriptPublicNames(root);
  return root.namedChildren.flatMap((statement) => {
    const declaration =
      statement.type === 'export_statement'
        ? (statement.childForField('declaration') ?? statement.childForField('value'))
        : statement;
    if (!declaration) return [];
    const isExported = statement.type === 'export_statement';
    const isPublic = (name: string): boolean => isExported || exported.has(name);
    if (/^(?:abstract_)?class/.test(declaration.type))
      return isPublic(declaration.childForField('name')?.text ?? '') ? methods(declaration) : [];
    const declarator = declaration.firstChildOfType('variable_declarator');
    const code = declarator ? declarator.childForField('value') : declaration;
    const name = (declarator ?? declaration).childForField('name')?.text ?? 'default';
    return code && isPublic(name) ? documented(name, code, statement) : [];
  });
}

function methods(declaration: SyntaxNode): DocumentedFunction[] {
  return (declaration.childForField('body')?.namedChildren ?? []).flatMap((member) => {
    const name = member.childForField('name')?.text ?? '';
    const hidden = /^(?:private|protected)$/.test(
      member.firstChildOfType('accessibility_modifier')?.text ?? '',
    );
    if (hidden || name.startsWith('#') || name.startsWith('_')) return [];
    const code = member.type === 'method_definition' ? member : member.childForField('value');
    return code && !member.hasChildOfType('get') && !member.hasChildOfType('set')
      ? documented(name, code, member)
      : [];
  });
}

function documented(name: string, code: SyntaxNode, outer: SyntaxNode): DocumentedFunction[] {
  const comment = FUNCTION.test(code.type) ? docComment(outer) : null;
  if (!comment) return [];
  return [
    {
      name,
      line: comment.line,
      doc: comment.text.slice(3, -2).replace(/^[ \t]*\* ?/gm, ''),
      parameters: parametersOf(code),
    },
  ];
}

/** The comment right before a node. */
function docComment(node: SyntaxNode): SyntaxNode | null {
  const siblings = node.parent?.children ?? [];
  for (let at = siblings.indexOf(node) - 1; at >= 0; at--) {
    const before = siblings[at];
    if (before?.type === 'decorator') continue;
    return before?.type === 'comment' && before.text.startsWith('/**') ? before : null;
  }
  return null;
}

function parametersOf(code: SyntaxNode): SignatureParameter[] {
  const single = code.childForField('parameter');
  const list = single ? [single] : (code.childForField('parameters')?.namedChildren ?? []);
  return list
    .filter(({ type }) => type !== 'comment')
    .map((parameter) => {
      const pattern = parameter.childForField('pattern') ?? parameter.childForField('left') ?? parameter;
      const inner = pattern.type === 'rest_pattern' ? (pattern.namedChildren[0] ?? pattern) : pattern;
      if (inner.type === 'identifier' || inner.type === 'this')
        return { name: decodeIdentifier(inner), parts: [] };
      return {
        name: null,
        parts: [...inner.walk()]
          .filter((node) => classifyJavascriptIdentifier(node) === 'binds')
          .map(decodeIdentifier),
      };
    })
    .filter(({ name }) => name !== 'this');
}

const TAG = /^[ \t]*@(\w+)[ \t]*([^\n]*)/gm;

/** What a JSDoc or TSDoc comment says. */
export function parseJsDoc(doc: string): ParsedDoc {
  const tags = [...doc.matchAll(TAG)].map(([, tag = '', rest = '']) => ({ tag, rest: withoutType(rest) }));
  const isList = tags.some(({ tag }) =>
    /^(?:param|arg|argument|returns?|yields?|throws|exception)$/.test(tag),
  );
  const inherits = /@(?:inheritDoc|override|implements|internal|private|ignore|see)\b/i.test(doc);
  return {
    summary: extractFirstSentence(doc.replace(/^[ \t]*@[\s\S]*/m, '')),
    parameters: tags
      .filter(({ tag }) => /^(?:param|arg|argument)$/.test(tag))
      .map(({ rest }) => /^\[?\s*([\w$]+)/.exec(rest)?.[1] ?? ''),
    // A comment without a tag is prose, which is a custom of its own here.
    parameterCoverage: inherits ? 'free' : isList ? 'must' : 'reported',
  };
}

/** What follows `{type}`, in which braces may stand inside of braces. */
function withoutType(text: string): string {
  if (!text.startsWith('{')) return text;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '{') depth++;
    else if (text[at] === '}' && --depth === 0) return text.slice(at + 1).trim();
  }
  return '';
}
