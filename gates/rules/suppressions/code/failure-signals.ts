import { isFunctionNode } from '../../../code/parsing/definitions.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { getBodyStatements, getEnclosingFunctions, getFunctionName } from './enclosing-functions.ts';

/** Names of functions that answer yes or no. */
const ASKS = /^_*(?:is|has|can|are|was|does|should|supports?|exists?)(?:[A-Z_]|$)/;

/**
 * Whether the rest of the code learns that something failed, although a handler says nothing of the error: the answer is no, a flag
 * is turned, or what follows throws. `only` is what the handler does, if anything.
 */
export function isCaughtErrorReported(clause: SyntaxNode, only: SyntaxNode | null): boolean {
  const tried = clause.parent;
  if (tried === null) return false;
  const around = getEnclosingFunctions(tried)[0] ?? null;
  if (only?.type === 'return_statement')
    return around !== null && booleanOf(only.namedChildren[0] ?? null) === false && isAsked(around, clause);
  return turnsFlag(only, tried, around) || isFollowedByThrow(tried);
}

/** Whether a promise answers yes or no: `.then(() => true).catch(() => false)`, or both in one call. */
export function isPromiseRejectionReported(taker: SyntaxNode, call: SyntaxNode): boolean {
  const given = (fn: SyntaxNode | undefined): boolean | null => {
    const [only, ...more] = fn && isFunctionNode(fn) ? getBodyStatements(fn) : [];
    return only && more.length === 0
      ? booleanOf(only.type === 'return_statement' ? (only.namedChildren[0] ?? null) : only)
      : null;
  };
  if (given(taker) !== false) return false;
  const callee = call.childForField('function');
  const then =
    callee?.childForField('property')?.text === 'then' ? call : (callee?.childForField('object') ?? null);
  return (
    then?.type === 'call_expression' &&
    then.childForField('function')?.childForField('property')?.text === 'then' &&
    given(then.childForField('arguments')?.namedChildren[0]) === true
  );
}

const booleanOf = (value: SyntaxNode | null): boolean | null =>
  value?.type === 'true' ? true : value?.type === 'false' ? false : null;

/** A function that answers yes or no by its name, or by everything that it returns besides. */
function isAsked(fn: SyntaxNode, clause: SyntaxNode): boolean {
  if (ASKS.test(getFunctionName(fn))) return true;
  const answers: (boolean | null)[] = [];
  for (const node of fn.childForField('body')?.walk((each) => each !== clause && !isFunctionNode(each)) ?? [])
    if (node.type === 'return_statement') answers.push(booleanOf(node.namedChildren[0] ?? null));
  return answers.includes(true) && !answers.includes(null);
}

interface FlagAssignment {
  readonly name: string;
  readonly value: boolean;
}

function flagOf(statement: SyntaxNode | null): FlagAssignment | null {
  const set = statement?.type === 'expression_statement' ? (statement.namedChildren[0] ?? null) : statement;
  if (!set || !/^(?:assignment|assignment_expression|variable_declarator)$/.test(set.type)) return null;
  const name = set.childForField('left') ?? set.childForField('name');
  const value = booleanOf(set.childForField('right') ?? set.childForField('value'));
  return name?.type === 'identifier' && value !== null ? { name: name.text, value } : null;
}

/** Whether a flag is one thing when all went well and another when not, and is looked at afterwards. */
function turnsFlag(only: SyntaxNode | null, tried: SyntaxNode, around: SyntaxNode | null): boolean {
  const last = tried.childForField('body')?.namedChildren.findLast(({ type }) => type !== 'comment') ?? null;
  const flag = flagOf(only) ?? (only === null || only.type === 'pass_statement' ? flagOf(last) : null);
  if (flag === null) return false;
  let [before, after] = [false, false];
  for (const node of (around ?? rootOf(tried)).walk()) {
    if (node.start < tried.start) {
      const set = flagOf(node);
      before ||= set?.name === flag.name && set.value !== flag.value;
    } else if (node.start >= tried.end)
      after ||= node.text === flag.name && /identifier/.test(node.type) && node.field !== 'left';
  }
  return before && after;
}

function rootOf(node: SyntaxNode): SyntaxNode {
  let at = node;
  while (at.parent) at = at.parent;
  return at;
}

const THROWS = /^(?:throw|raise)_statement$/;

/** Whether whoever comes out of a `try` that failed runs into a `throw`, be it after the loop around it. */
function isFollowedByThrow(tried: SyntaxNode): boolean {
  const set = new Set<string>();
  for (const node of tried.walk()) {
    const name = /^assignment/.test(node.type) ? node.childForField('left') : null;
    if (name?.type === 'identifier') set.add(name.text);
  }
  for (let at: SyntaxNode | null = tried; at && !isFunctionNode(at); at = at.parent) {
    const { start, end, parent } = at;
    if (!/^(?:program|module|block|statement_block)$/.test(parent?.type ?? '')) continue;
    for (const next of parent?.namedChildren.filter((each) => each.start > start && each.start >= end) ??
      []) {
      if (THROWS.test(next.type) || (next.type === 'if_statement' && isGuard(next, set))) return true;
      for (const node of next.walk((each) => !isFunctionNode(each)))
        if (node.type === 'return_statement') return false;
    }
  }
  return false;
}

/** Whether a branch asks for what was tried, and throws. */
function isGuard(branch: SyntaxNode, names: ReadonlySet<string>): boolean {
  const then = branch.childForField('consequence');
  const last = then && /block$/.test(then.type) ? (then.namedChildren.at(-1) ?? null) : then;
  if (!THROWS.test(last?.type ?? '')) return false;
  for (const node of branch.childForField('condition')?.walk() ?? [])
    if (node.type === 'identifier' && names.has(node.text)) return true;
  return false;
}
