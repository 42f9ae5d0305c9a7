import { isFunctionNode } from '../../../code/parsing/definitions.ts';
import type { SyntaxNode } from '../../../code/parsing/syntax-node.ts';
import { getCallArguments, type NameAliases, resolveDottedName } from './dotted-names.ts';
import { getBodyStatements } from './enclosing-functions.ts';
import { isCaughtErrorReported, isPromiseRejectionReported } from './failure-signals.ts';
import type { TamperingFinding } from './native-syntax.ts';
import { hasOnlyPlatformCall, hasOnlyValueConversion } from './platform-calls.ts';

const BROAD = /^(?:Exception|BaseException|builtins\.(?:Base)?Exception)$/;
/** Calls that only tell people. */
const TELLS =
  /^(?:console\.\w+|print|(?:\w+\.)*(?:log|logger|logging|_log|_logger|LOG|LOGGER)(?:\.\w+)*|warnings\.warn|traceback\.print_exc|sys\.std(?:err|out)\.write|process\.std(?:err|out)\.write)$/;

/** Places where every error is caught and thrown away. */
export function findSwallowedErrors(root: SyntaxNode, aliases: NameAliases): TamperingFinding[] {
  const found: TamperingFinding[] = [];
  const add = (node: SyntaxNode, message: string, weight: TamperingFinding['weight'] = 'warning'): void => {
    found.push({ rule: 'error_swallowed', key: node.text.slice(0, 300), line: node.line, message, weight });
  };
  for (const node of root.walk()) {
    switch (node.type) {
      case 'catch_clause':
      case 'except_clause':
        if (isBroad(node, aliases)) handler(node, aliases, add);
        break;
      case 'finally_clause': {
        const body = node.childForField('body') ?? node.firstChildOfType('block', 'statement_block');
        const leaves = body?.namedChildren.find(({ type }) =>
          /^(?:return|break|continue)_statement$/.test(type),
        );
        if (leaves) add(leaves, 'leaves a finally block, which throws away every error');
        break;
      }
      case 'with_item':
      case 'call':
      case 'call_expression':
        call(node, aliases, add);
    }
  }
  return found;
}

/** What is tried once more at the end, and may well fail: to clean up behind oneself. */
const CLEANS =
  /(?:unlink|rm|remove|rmdir|rmtree|close|cleanup|clean|destroy|abort|cancel|dispose|kill|terminate|disconnect|release|stop)(?:Sync|_\w+)?\s{0,5}\(/i;
const cleansUp = (tried: SyntaxNode | null): boolean =>
  tried !== null &&
  tried.end - tried.start < 200 &&
  CLEANS.test(tried.text) &&
  !/\breturn\b/.test(tried.text);

/** What may fail without anybody's harm: cleaning up, what is answered in another way, and in JavaScript a question to the platform. */
function isHarmless(clause: SyntaxNode, only: SyntaxNode | null, aliases: NameAliases): boolean {
  const tried = clause.parent?.childForField('body') ?? null;
  if (cleansUp(tried) || isCaughtErrorReported(clause, only)) return true;
  return (
    clause.type === 'catch_clause' &&
    (hasOnlyPlatformCall(tried, aliases) || (givesNone(clause) && hasOnlyValueConversion(tried, aliases)))
  );
}

const givesNone = (clause: SyntaxNode): boolean =>
  /^\{\s*return(?:\s+(?:null|undefined))?\s*;?\s*\}$/.test(
    clause.childForField('body')?.text.slice(0, 60) ?? '',
  );

type AddFinding = (node: SyntaxNode, message: string, weight?: TamperingFinding['weight']) => void;

function isBroad(clause: SyntaxNode, aliases: NameAliases): boolean {
  if (clause.type === 'catch_clause') return true;
  const kinds = clause.namedChildren.filter(({ type }) => type !== 'block' && type !== 'comment');
  if (kinds.length === 0) return true;
  const all = kinds.flatMap((kind) => [...kind.walk(({ type }) => type !== 'call')]);
  return all.some(
    (kind) =>
      /^(?:identifier|attribute)$/.test(kind.type) && BROAD.test(resolveDottedName(kind, aliases) ?? ''),
  );
}

/** What a handler does besides telling people, when that is nothing or something made up. */
function handler(clause: SyntaxNode, aliases: NameAliases, add: AddFinding): void {
  const body = clause.childForField('body') ?? clause.firstChildOfType('block', 'statement_block');
  const statements = (body?.namedChildren ?? []).filter(({ type }) => type !== 'comment');
  const rest = statements.filter((statement) => !isTelling(statement));
  if (rest.length > 1 || !rest.every(isNothing)) return;
  const tells = rest.length < statements.length;
  const weight = isHarmless(clause, rest[0] ?? null, aliases) ? 'info' : 'warning';
  const leaves = rest.some(({ type }) => type === 'return_statement');
  if (!tells) add(clause, 'every error is caught here and thrown away', weight);
  else if (isWholeFunction(clause) && leaves)
    add(clause, 'every error of the function is told to a log, and a made-up result is given', weight);
  else add(clause, 'every error is told to a log only', 'info');
}

function isTelling(statement: SyntaxNode): boolean {
  const call = statement.type === 'expression_statement' ? (statement.namedChildren[0] ?? null) : null;
  if (call?.type !== 'call' && call?.type !== 'call_expression') return false;
  return TELLS.test(call.childForField('function')?.text.slice(0, 100) ?? '');
}

/** Nothing at all, or a constant that is given or kept instead of the result. */
function isNothing(statement: SyntaxNode): boolean {
  if (/^(?:pass_statement|continue_statement|break_statement|empty_statement)$/.test(statement.type))
    return true;
  if (statement.type === 'return_statement') return isMadeUp(statement.namedChildren[0] ?? null);
  if (statement.type !== 'expression_statement') return false;
  const only = statement.namedChildren[0] ?? null;
  if (only?.type === 'ellipsis') return true;
  return (
    (only?.type === 'assignment' || only?.type === 'assignment_expression') &&
    isMadeUp(only.childForField('right'))
  );
}

function isMadeUp(value: SyntaxNode | null): boolean {
  if (value === null) return true;
  if (/^(?:none|null|undefined|true|false|integer|float|number|string)$/.test(value.type)) return true;
  if (value.type === 'identifier') return value.text === 'undefined' || value.text === 'NaN';
  if (
    /^(?:list|dictionary|tuple|set|array|object|unary_operator|unary_expression|parenthesized_expression)$/.test(
      value.type,
    )
  )
    return value.namedChildren.every(isMadeUp);
  if (value.type === 'pair') return isMadeUp(value.childForField('value'));
  if (value.type === 'call')
    return (
      /^(?:dict|list|tuple|set|str|int|float)$/.test(value.childForField('function')?.text ?? '') &&
      getCallArguments(value).length === 0
    );
  return (
    value.type === 'new_expression' &&
    /^(?:Map|Set|Array|Object)$/.test(value.childForField('constructor')?.text ?? '') &&
    getCallArguments(value).length === 0
  );
}

/** Whether a `try` is all that a function does. */
function isWholeFunction(clause: SyntaxNode): boolean {
  const statement = clause.parent;
  const fn = statement?.parent?.parent;
  return fn != null && isFunctionNode(fn) && getBodyStatements(fn).length === 1;
}

function call(node: SyntaxNode, aliases: NameAliases, add: AddFinding): void {
  if (node.type === 'with_item') return;
  const callee = node.childForField('function');
  const path = resolveDottedName(callee, aliases) ?? '';
  const args = getCallArguments(node);
  if (
    /^(?:contextlib\.)?suppress$/.test(path) &&
    args.some((each) => BROAD.test(resolveDottedName(each, aliases) ?? ''))
  )
    add(node, 'every error in this block is thrown away');
  if (node.type !== 'call_expression' || callee?.type !== 'member_expression') return;
  const name = callee.childForField('property')?.text;
  const taker = name === 'catch' ? args[0] : name === 'then' ? args[1] : null;
  if (taker && isFunctionNode(taker)) {
    const asked = callee.childForField('object');
    const statements = getBodyStatements(taker);
    const only = statements[0] ?? null;
    const isEmpty = statements.length === 0;
    const givesUp =
      only !== null &&
      statements.length === 1 &&
      (only.type === 'return_statement' ? isNothing(only) : isMadeUp(only));
    if (isEmpty || givesUp)
      add(
        taker,
        'every error of a promise is thrown away',
        cleansUp(asked) || hasOnlyPlatformCall(asked, aliases) || isPromiseRejectionReported(taker, node)
          ? 'info'
          : 'warning',
      );
  } else if (taker && /noop/i.test(taker.text.slice(0, 40)))
    add(taker, 'every error of a promise is thrown away');
  if (path === 'Promise.allSettled' && isDropped(node))
    add(node, 'errors of promises are waited for, and nobody looks at them');
}

const isDropped = (node: SyntaxNode): boolean =>
  (node.parent?.type === 'await_expression' ? node.parent.parent : node.parent)?.type ===
  'expression_statement';
