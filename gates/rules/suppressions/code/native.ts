import type { Syntax } from '../../../code/parsing/syntax.ts';
import type { Deceit } from './model.ts';

export const ENDS = 'code that ends the process well as soon as it is loaded';
export const DETECTS = 'code that can tell that it is being tested';

export const deceit = (
  rule: string,
  node: Syntax,
  message: string,
  weight: Deceit['weight'] = 'fails',
): Deceit => ({ rule, key: node.text.slice(0, 300), line: node.line, message, weight });

/** What a call calls, as it is written; empty for what is no call. */
export function callee(node: Syntax): string {
  const name = node.type === 'call_expression' ? node.child('function') : null;
  return name !== null && name.end - name.start <= 100 ? name.text : '';
}

const PARTS =
  /^(?:call|field|selector|index|binary|unary|try|await|reference|parenthesized|type_cast)_expression$|^argument(?:s|_list)$/;

/** The constant texts in the expression that a node is a part of. */
export function said(node: Syntax): string[] {
  let top = node;
  while (top.parent && PARTS.test(top.parent.type)) top = top.parent;
  return [...top.walk()]
    .filter(({ type }) => /^(?:interpreted_|raw_)?string_literal$/.test(type))
    .map(({ text }) => text.replace(/^[^"`]*["`]|["`]#*$/g, ''));
}
