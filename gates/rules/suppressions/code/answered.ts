import { isFunction } from '../../../code/parsing/functions.ts';
import type { Syntax } from '../../../code/parsing/syntax.ts';
import { functionsAround, nameOf, statementsOf } from './places.ts';

/** Names of functions that answer yes or no. */
const ASKS = /^_*(?:is|has|can|are|was|does|should|supports?|exists?)(?:[A-Z_]|$)/;

/**
 * Whether the rest of the code learns that something failed, although a handler says nothing of the error: the answer is no, a flag
 * is turned, or what follows throws. `only` is what the handler does, if anything.
 */
export function isAnswered(clause: Syntax, only: Syntax | null): boolean {
  const tried = clause.parent;
  if (tried === null) return false;
  const around = functionsAround(tried)[0] ?? null;
  if (only?.type === 'return_statement')
    return around !== null && booleanOf(only.namedChildren[0] ?? null) === false && isAsked(around, clause);
  return turnsFlag(only, tried, around) || isFollowedByThrow(tried);
}

/** Whether a promise answers yes or no: `.then(() => true).catch(() => false)`, or both in one call. */
export function isAnsweredBy(taker: Syntax, call: Syntax): boolean {
  const given = (fn: Syntax | undefined): boolean | null => {
    const [only, ...more] = fn && isFunction(fn) ? statementsOf(fn) : [];
    return only && more.length === 0
      ? booleanOf(only.type === 'return_statement' ? (only.namedChildren[0] ?? null) : only)
      : null;
  };
  if (given(taker) !== false) return false;
  const callee = call.child('function');
  const then = callee?.child('property')?.text === 'then' ? call : (callee?.child('object') ?? null);
  return (
    then?.type === 'call_expression' &&
    then.child('function')?.child('property')?.text === 'then' &&
    given(then.child('arguments')?.namedChildren[0]) === true
  );
}

const booleanOf = (value: Syntax | null): boolean | null =>
  value?.type === 'true' ? true : value?.type === 'false' ? false : null;

/** A function that answers yes or no by its name, or by everything that it returns besides. */
function isAsked(fn: Syntax, clause: Syntax): boolean {
  if (ASKS.test(nameOf(fn))) return true;
  const answers: (boolean | null)[] = [];
  for (const node of fn.child('body')?.walk((each) => each !== clause && !isFunction(each)) ?? [])
    if (node.type === 'return_statement') answers.push(booleanOf(node.namedChildren[0] ?? null));
  return answers.includes(true) && !answers.includes(null);
}

interface Flag {
  readonly name: string;
  readonly value: boolean;
}

function flagOf(statement: Syntax | null): Flag | null {
  const set = statement?.type === 'expression_statement' ? (statement.namedChildren[0] ?? null) : statement;
  if (!set || !/^(?:assignment|assignment_expression|variable_declarator)$/.test(set.type)) return null;
  const name = set.child('left') ?? set.child('name');
  const value = booleanOf(set.child('right') ?? set.child('value'));
  return name?.type === 'identifier' && value !== null ? { name: name.text, value } : null;
}

/** Whether a flag is one thing when all went well and another when not, and is looked at afterwards. */
function turnsFlag(only: Syntax | null, tried: Syntax, around: Syntax | null): boolean {
  const last = tried.child('body')?.namedChildren.findLast(({ type }) => type !== 'comment') ?? null;
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

function rootOf(node: Syntax): Syntax {
  let at = node;
  while (at.parent) at = at.parent;
  return at;
}

const THROWS = /^(?:throw|raise)_statement$/;

/** Whether whoever comes out of a `try` that failed runs into a `throw`, be it after the loop around it. */
function isFollowedByThrow(tried: Syntax): boolean {
  const set = new Set<string>();
  for (const node of tried.walk()) {
    const name = /^assignment/.test(node.type) ? node.child('left') : null;
    if (name?.type === 'identifier') set.add(name.text);
  }
  for (let at: Syntax | null = tried; at && !isFunction(at); at = at.parent) {
    const { start, end, parent } = at;
    if (!/^(?:program|module|block|statement_block)$/.test(parent?.type ?? '')) continue;
    for (const next of parent?.namedChildren.filter((each) => each.start > start && each.start >= end) ??
      []) {
      if (THROWS.test(next.type) || (next.type === 'if_statement' && isGuard(next, set))) return true;
      for (const node of next.walk((each) => !isFunction(each)))
        if (node.type === 'return_statement') return false;
    }
  }
  return false;
}

/** Whether a branch asks for what was tried, and throws. */
function isGuard(branch: Syntax, names: ReadonlySet<string>): boolean {
  const then = branch.child('consequence');
  const last = then && /block$/.test(then.type) ? (then.namedChildren.at(-1) ?? null) : then;
  if (!THROWS.test(last?.type ?? '')) return false;
  for (const node of branch.child('condition')?.walk() ?? [])
    if (node.type === 'identifier' && names.has(node.text)) return true;
  return false;
}
