import type { SyntaxNode } from './syntax-node.ts';

/** Nodes of Python and JavaScript that are functions: what is in them runs when somebody calls them. */
const FUNCTIONS: ReadonlySet<string> = new Set([
  'function_definition',
  'lambda',
  'arrow_function',
  'function_expression',
  'function_declaration',
  'generator_function',
  'generator_function_declaration',
  'method_definition',
]);

export const isFunctionNode = ({ type }: SyntaxNode): boolean => FUNCTIONS.has(type);
