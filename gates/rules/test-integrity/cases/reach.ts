import { FUNCTIONS } from '../../../code/functions.ts';
import type { Syntax } from '../../../code/syntax.ts';
import { truthOf } from '../../dead-code/constant.ts';
import type { Reach } from './model.ts';

const BLOCKS = new Set(['block', 'statement_block', 'module', 'program', 'class_body']);
const LEAVES = new Set(['return_statement', 'throw_statement', 'raise_statement']);
const ITERATES = /^(?:forEach|map|filter|some|every|flatMap|reduce)$/;

const worst = (a: Reach, b: Reach): Reach =>
  a === 'never' || b === 'never' ? 'never' : a === 'may_run' || b === 'may_run' ? 'may_run' : 'runs';

export interface ReachOptions {
  /** Whether a name of the file is used anywhere besides its definition. */
  readonly isUsed: (name: string) => boolean;
  /** Whether there is an assertion below a node: what is asserted on both ways is asserted. */
  readonly asserts: (node: Syntax) => boolean;
}

/** Whether a node runs when `top` does: through conditions, loops, early ends and functions that nobody calls. */
export function reachOf(node: Syntax, top: Syntax, options: ReachOptions): Reach {
  let reach: Reach = 'runs';
  for (let at = node; at !== top && at.parent; at = at.parent) {
    reach = worst(reach, step(at, at.parent, options));
    if (reach === 'never') return reach;
    if (at !== node && FUNCTIONS.has(at.type)) reach = worst(reach, calledFrom(at, options));
  }
  return reach;
}

function step(at: Syntax, parent: Syntax, options: ReachOptions): Reach {
  switch (parent.type) {
    case 'if_statement':
    case 'elif_clause':
      return branch(at, parent, options);
    case 'ternary_expression':
      return branch(at, parent, options);
    case 'conditional_expression':
      return at === parent.namedChildren[1] ? 'runs' : 'may_run';
    case 'while_statement':
      return at.field === 'body' && truthOf(parent.child('condition')) === false ? 'never' : 'runs';
    case 'for_statement':
    case 'for_in_statement':
      return at.field === 'body' && isEmptyList(parent.child('right')) ? 'never' : 'runs';
    case 'binary_expression':
    case 'boolean_operator':
      return shortcut(at, parent);
    case 'catch_clause':
    case 'except_clause':
      return /\b(?:fail|throw|raise|unreachable)\b/i.test(parent.parent?.child('body')?.text ?? '')
        ? 'runs'
        : 'may_run';
    case 'switch_case':
    case 'case_clause':
      return 'may_run';
    case 'try_statement':
      return at.field === 'body' ? tried(parent) : 'runs';
    case 'with_statement':
      return at.field === 'body' &&
        EXPECTS_ANYTHING.test(parent.children.find(({ type }) => type === 'with_clause')?.text ?? '')
        ? 'never'
        : 'runs';
    default:
      return BLOCKS.has(parent.type) ? afterSiblings(at, parent) : 'runs';
  }
}

/** A block in which assertions are expected to fail. */
const EXPECTS_ANYTHING =
  /\b(?:raises|assertRaises|suppress)\(\s{0,10}\(?[^)]{0,200}\b(?:AssertionError|Exception|BaseException)\b/;

function branch(at: Syntax, parent: Syntax, { asserts }: ReachOptions): Reach {
  if (at.field !== 'consequence' && at.field !== 'alternative') return 'runs';
  const truth = truthOf(parent.child('condition'));
  if (truth !== null) return truth === (at.field === 'consequence') ? 'runs' : 'never';
  const ways = [parent.child('consequence'), ...parent.childrenAt('alternative')];
  return ways.length > 1 && ways.every((way) => way !== null && asserts(way)) ? 'runs' : 'may_run';
}

function shortcut(at: Syntax, parent: Syntax): Reach {
  const operator = parent.child('operator')?.text ?? '';
  if (at.field !== 'right' || !/^(?:&&|\|\||\?\?|and|or)$/.test(operator)) return 'runs';
  const truth = truthOf(parent.child('left'));
  if (truth === null || operator === '??') return 'may_run';
  return truth === (operator === '&&' || operator === 'and') ? 'runs' : 'never';
}

/** What is tried fails the test only when the handler lets failures of assertions through. */
function tried(statement: Syntax): Reach {
  if (leavesAtTheEnd(statement)) return 'never';
  let reach: Reach = 'runs';
  for (const handler of statement.children) {
    if (handler.type === 'except_clause' && !CATCHES.test(handler.text.split('\n', 1)[0] ?? '')) continue;
    if (handler.type !== 'catch_clause' && handler.type !== 'except_clause') continue;
    const body = handler.child('body') ?? handler.first('block', 'statement_block');
    const statements = body?.namedChildren.filter(({ type }) => type !== 'comment') ?? [];
    if (
      statements.some(({ type, text }) =>
        LEAVES.has(type) ? type !== 'return_statement' : FAILS.test(text.slice(0, 300)),
      )
    )
      continue;
    reach = worst(reach, RETHROWS.test(body?.text.slice(0, 4_000) ?? '') ? 'may_run' : 'never');
  }
  return reach;
}
const CATCHES = /^\s*except\s*:|\b(?:Base)?Exception\b|\bAssertionError\b/;
const RETHROWS = /\b(?:throw|raise)\b/;
const FAILS =
  /^(?:self\.|t\.|pytest\.|assert\.|expect\.)?(?:fail|reject|done|unreachable|assert\w*|expect)\b/;

/** `finally { return; }` throws away whatever failed. */
const leavesAtTheEnd = (statement: Syntax): boolean => {
  const last = statement.child('finalizer') ?? statement.first('finally_clause');
  const body = last?.child('body') ?? last?.first('block') ?? null;
  return body?.namedChildren.some(({ type }) => /^(?:return|break|continue)_statement$/.test(type)) ?? false;
};

/** Statements before that leave the block. One that throws leaves too, but then the test fails. */
function afterSiblings(at: Syntax, parent: Syntax): Reach {
  let reach: Reach = 'runs';
  for (const sibling of parent.children) {
    if (sibling === at) break;
    if (LEAVES.has(sibling.type) && at.type !== 'function_declaration') return 'never';
    if (sibling.type !== 'if_statement' || !returns(sibling.child('consequence'))) continue;
    const truth = truthOf(sibling.child('condition'));
    if (truth === true) return 'never';
    if (truth === null && sibling.child('alternative') === null) reach = 'may_run';
  }
  return reach;
}

const returns = (node: Syntax | null): boolean =>
  node !== null &&
  (node.type === 'return_statement' ||
    (BLOCKS.has(node.type) && node.namedChildren.some(({ type }) => type === 'return_statement')));

/** A function within a test runs when somebody calls it, or hands it on. */
function calledFrom(fn: Syntax, { isUsed }: ReachOptions): Reach {
  if (fn.type === 'function_definition' || fn.type === 'function_declaration') {
    const name = fn.child('name')?.text ?? '';
    return /^(?:decorated_definition|export_statement)$/.test(fn.parent?.type ?? '') || isUsed(name)
      ? 'runs'
      : 'never';
  }
  let holder = fn.parent;
  while (holder?.type === 'parenthesized_expression') holder = holder.parent;
  if (holder?.type === 'variable_declarator' || holder?.type === 'assignment')
    return isUsed((holder.child('name') ?? holder.child('left'))?.text ?? '') ? 'runs' : 'never';
  if (holder?.type === 'expression_statement') return 'never';
  if (holder?.type !== 'arguments') return 'runs';
  const callee = holder.parent?.child('function') ?? null;
  const property = callee?.child('property')?.text ?? '';
  if (ITERATES.test(property) && isEmptyList(callee?.child('object') ?? null)) return 'never';
  // An assertion whose failure is what is expected.
  if (/^(?:throws|rejects)$/.test(property)) return 'never';
  if ((property === 'then' || property === 'finally') && isForgiven(holder.parent)) return 'never';
  // What comes later may come when nobody is there any more.
  if (
    /^(?:setTimeout|setInterval|setImmediate|queueMicrotask|process\.nextTick)$/.test(
      callee?.text.slice(0, 20) ?? '',
    )
  )
    return [...fn.ancestors()].some(({ type }) => type === 'new_expression') ? 'runs' : 'may_run';
  if (property === 'then' || property === 'finally') return isAwaited(holder.parent) ? 'runs' : 'may_run';
  return 'runs';
}

/** Whether the errors of a promise end further down its chain, in a handler that does nothing about them. */
function isForgiven(call: Syntax | null): boolean {
  for (let at = call; at?.parent?.type === 'member_expression' && at.parent.parent; at = at.parent.parent) {
    const name = at.parent.child('property')?.text;
    const args = at.parent.parent.child('arguments')?.namedChildren ?? [];
    const handler = name === 'catch' ? args[0] : name === 'then' ? args[1] : null;
    if (
      handler &&
      FUNCTIONS.has(handler.type) &&
      !/throw|assert|expect|fail|reject|done|should/.test(handler.text.slice(0, 2_000))
    )
      return true;
  }
  return false;
}

/** Whether somebody waits for a promise: it is awaited, returned or kept. */
export function isAwaited(expression: Syntax | null): boolean {
  for (let at = expression; at; at = at.parent) {
    if (at.type === 'await_expression' || at.type === 'await' || at.type === 'return_statement') return true;
    if (at.type === 'variable_declarator' || at.type === 'assignment_expression' || at.type === 'arguments')
      return true;
    if (FUNCTIONS.has(at.type)) return at.type === 'arrow_function';
    if (at.type === 'expression_statement') return false;
  }
  return true;
}

export function isEmptyList(node: Syntax | null): boolean {
  if (node === null) return false;
  if (node.type === 'parenthesized_expression') return isEmptyList(node.namedChildren[0] ?? null);
  if (node.type === 'call' || node.type === 'call_expression')
    return /^(?:range\(0\)|list\(\)|tuple\(\)|set\(\)|dict\(\))$/.test(node.text.slice(0, 20));
  return (
    /^(?:array|list|tuple|dictionary|object)$/.test(node.type) &&
    node.namedChildren.every(({ type }) => type === 'comment')
  );
}
