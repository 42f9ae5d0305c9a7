import type { CodeIssue } from '../../code/parsing/code-issue.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';
import { evaluateConstantCondition } from './constant-condition.ts';

/** Nodes whose children are statements, one after the other. */
const BLOCKS = new Set([
  'module',
  'program',
  'source_file',
  'block',
  'statement_block',
  'statement_list',
  'switch_case',
  'switch_default',
]);
const LEAVING = new Set([
  'return_statement',
  'raise_statement',
  'throw_statement',
  'break_statement',
  'continue_statement',
  'goto_statement',
  'return_expression',
  'break_expression',
  'continue_expression',
]);
const PANICS = /^(?:panic|unreachable|todo|unimplemented)$/;

/** What is never run: statements after one that leaves, and branches of conditions that are the same each time. */
export function findUnreachableCode(root: SyntaxNode): CodeIssue[] {
  const issues: CodeIssue[] = [];
  for (const node of root.walk()) {
    if (BLOCKS.has(node.type)) issues.push(...afterLeaving(node));
    const dead = deadBranch(node);
    if (dead) issues.push(dead);
  }
  return issues;
}

function afterLeaving(block: SyntaxNode): CodeIssue[] {
  const statements = block.namedChildren.filter(
    ({ type, field }) => !/comment$/.test(type) && field !== 'value',
  );
  const issues: CodeIssue[] = [];
  let left: SyntaxNode | null = null;
  for (const statement of statements) {
    // From a label on, somebody may jump in.
    if (statement.type === 'labeled_statement') left = null;
    else if (left === null) left = leaves(statement) ? statement : null;
    else if (!isFree(statement, left)) {
      const how = plain(left, 20).match(/^\w+/)?.[0] ?? '';
      issues.push(issue('unreachable_code', statement, `is never reached, after ${how}`));
      break;
    }
  }
  return issues;
}

function leaves(statement: SyntaxNode): boolean {
  if (LEAVING.has(statement.type)) return true;
  const inner = statement.type === 'expression_statement' ? statement.namedChildren[0] : statement;
  if (!inner) return false;
  if (LEAVING.has(inner.type)) return true;
  if (inner.type === 'macro_invocation') return PANICS.test(inner.childForField('macro')?.text ?? '');
  return inner.type === 'call_expression' && inner.childForField('function')?.text === 'panic';
}

/** Statements that do no harm where they are not reached: declarations that hold for the whole block, and habits. */
function isFree(statement: SyntaxNode, leaving: SyntaxNode): boolean {
  const { type } = statement;
  if (
    /^(?:(?:generator_)?function_declaration|function_signature|interface_declaration|type_alias_declaration)$/.test(
      type,
    )
  )
    return true;
  if (/_item$|^use_declaration$|^macro_definition$|^empty_statement$|^line_continuation$/.test(type))
    return true;
  if (/^(?:import|export)_/.test(type)) return true;
  if (type === 'variable_declaration')
    return statement.namedChildren.every((declarator) => declarator.childForField('value') === null);
  // `return` then `yield` makes an empty generator of a Python function; `break` ends a case by habit.
  if (type === 'expression_statement') return statement.namedChildren[0]?.type === 'yield';
  return type === 'break_statement' && leaving.parent?.type.startsWith('switch_') === true;
}

const CONDITIONS = new Set([
  'if_statement',
  'elif_clause',
  'if_expression',
  'while_statement',
  'while_expression',
  'for_statement',
]);

function deadBranch(node: SyntaxNode): CodeIssue | null {
  if (!CONDITIONS.has(node.type)) return null;
  const isLoop = !/if/.test(node.type);
  const condition = node.childForField('condition') ?? (isLoop ? goCondition(node) : null);
  const truth = evaluateConstantCondition(condition);
  if (truth === false && onlyYields(node)) return null;
  if (truth === false)
    return issue('constant_condition', node, `never runs: ${short(condition)} is always false`);
  if (truth !== true || isLoop) return null;
  const otherwise = node.childForField('alternative') ?? laterClause(node);
  return (
    otherwise && issue('constant_condition', otherwise, `never runs: ${short(condition)} is always true`)
  );
}

/** `while False: yield` makes an empty generator of a Python function. */
const onlyYields = (node: SyntaxNode): boolean =>
  node.type === 'while_statement' &&
  node
    .childForField('body')
    ?.namedChildren.every(({ namedChildren }) => namedChildren[0]?.type === 'yield') === true;

/** The clause after an `elif`. */
function laterClause(node: SyntaxNode): SyntaxNode | null {
  if (node.type !== 'elif_clause') return null;
  const clauses = node.parent?.childrenForField('alternative') ?? [];
  return clauses[clauses.indexOf(node) + 1] ?? null;
}

/** In Go a loop with a condition alone has it beside its body. */
function goCondition(node: SyntaxNode): SyntaxNode | null {
  const [only, ...rest] = node.namedChildren.filter(
    ({ field, type }) => field !== 'body' && type !== 'comment',
  );
  return node.type === 'for_statement' &&
    node.childForField('left') === null &&
    rest.length === 0 &&
    !/clause$/.test(only?.type ?? 'clause')
    ? (only ?? null)
    : null;
}

const short = (node: SyntaxNode | null): string => plain(node, 60);
/** The beginning of a node's text in one line. */
const plain = (node: SyntaxNode | null, length: number): string =>
  (node?.text.slice(0, 4 * length) ?? '').replace(/\s+/g, ' ').slice(0, length);

const issue = (rule: string, node: SyntaxNode, message: string): CodeIssue => ({
  rule,
  key: plain(node, 200),
  line: node.line,
  message,
});
