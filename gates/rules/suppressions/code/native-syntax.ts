import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import type { FindingSeverity } from '../../../core/gate-finding.ts';

export const EXIT_ON_IMPORT_MESSAGE = 'code that ends the process well as soon as it is loaded';
export const DETECTS_TEST_RUN_MESSAGE = 'code that can tell that it is being tested';

export const createTamperingFinding = (
  rule: string,
  node: SyntaxNode,
  message: string,
  weight: TamperingFinding['weight'] = 'error',
): TamperingFinding => ({ rule, key: node.text.slice(0, 300), line: node.line, message, weight });

/** What a call calls, as it is written; empty for what is no call. */
export function getCalleeName(node: SyntaxNode): string {
  const name = node.type === 'call_expression' ? node.childForField('function') : null;
  return name !== null && name.end - name.start <= 100 ? name.text : '';
}

const PARTS =
  /^(?:call|field|selector|index|binary|unary|try|await|reference|parenthesized|type_cast)_expression$|^argument(?:s|_list)$/;

/** The constant texts in the expression that a node is a part of. */
export function collectStringLiterals(node: SyntaxNode): string[] {
  let top = node;
  while (top.parent && PARTS.test(top.parent.type)) top = top.parent;
  return [...top.walk()]
    .filter(({ type }) => /^(?:interpreted_|raw_)?string_literal$/.test(type))
    .map(({ text }) => text.replace(/^[^"`]*["`]|["`]#*$/g, ''));
}

/** Something in a source file that cheats whoever checks it. */
export interface TamperingFinding {
  readonly rule: string;
  /** The same before and after is the same deceit, wherever it stands. */
  readonly key: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
  /** Name of the hook of pytest that the code defines. */
  readonly hook?: string;
  readonly weight: Extract<FindingSeverity, 'error' | 'warning' | 'info'>;
}
