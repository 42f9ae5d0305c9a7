import { evaluateConstantString } from '../../code/parsing/string-literal.ts';
import type { SyntaxNode } from '../../code/parsing/syntax-node.ts';

const TRUE = new Set(['true', 'True']);
const FALSE = new Set(['false', 'False', 'None', 'null', 'undefined', 'nil']);
const WRAPPERS = new Set([
  'parenthesized_expression',
  'as_expression',
  'non_null_expression',
  'satisfies_expression',
]);
const COMPARISONS: Readonly<Record<string, boolean>> = {
  '==': true,
  '===': true,
  is: true,
  '!=': false,
  '!==': false,
};

/** The value of a condition that is the same each time, in any of the four languages; null when it is not, or not plainly. */
export function evaluateConstantCondition(node: SyntaxNode | null): boolean | null {
  if (node === null) return null;
  if (WRAPPERS.has(node.type)) return evaluateConstantCondition(node.namedChildren[0] ?? null);
  switch (node.type) {
    case 'not_operator':
      return negated(node.childForField('argument'));
    case 'unary_expression':
      return unary(node);
    case 'boolean_operator':
    case 'binary_expression':
    case 'comparison_operator':
      return binary(node);
    default:
      return literal(node);
  }
}

const negated = (node: SyntaxNode | null): boolean | null => {
  const truth = evaluateConstantCondition(node);
  return truth === null ? null : !truth;
};

function unary(node: SyntaxNode): boolean | null {
  const operator = node.childForField('operator')?.text ?? node.children[0]?.text;
  const operand =
    node.childForField('argument') ?? node.childForField('operand') ?? node.namedChildren[0] ?? null;
  if (operator === '!') return negated(operand);
  return operator === 'void' && literal(operand) !== null ? false : null;
}

function binary(node: SyntaxNode): boolean | null {
  const [first = null, second = null] = node.namedChildren.filter(({ type }) => type !== 'comment');
  const operator = (node.childForField('operator') ?? node.childForField('operators'))?.text ?? '';
  if (operator === 'and' || operator === '&&') return joined(first, second, false);
  if (operator === 'or' || operator === '||') return joined(first, second, true);
  const [left, right] = [constant(first), constant(second)];
  const equal = COMPARISONS[operator];
  // A chain as in `1 == 1 == 2` is more than we want to know.
  if (equal === undefined || left === null || right === null || node.namedChildren.length > 2) return null;
  return (left === right) === equal;
}

/** `and` is false when one side is, `or` is true when one side is; else both must be known. */
function joined(first: SyntaxNode | null, second: SyntaxNode | null, decides: boolean): boolean | null {
  const truths = [evaluateConstantCondition(first), evaluateConstantCondition(second)];
  if (truths.includes(decides)) return decides;
  return truths.includes(null) ? null : !decides;
}

function literal(node: SyntaxNode | null): boolean | null {
  if (node === null) return null;
  const word = wordOf(node);
  if (TRUE.has(word)) return true;
  if (FALSE.has(word)) return false;
  if (node.type === 'list' || node.type === 'dictionary' || node.type === 'tuple')
    return node.namedChildren.some(({ type }) => type !== 'comment');
  const value = constant(node);
  return value === null ? null : Boolean(value);
}

/** A number or a text. */
function constant(node: SyntaxNode | null): number | string | null {
  if (node?.type === 'integer' || node?.type === 'float' || node?.type === 'number') {
    const value = Number(node.text.replaceAll('_', ''));
    return Number.isNaN(value) ? null : value;
  }
  const word = node && wordOf(node);
  if (word && TRUE.has(word)) return 'true';
  if (word && FALSE.has(word)) return word.toLowerCase();
  return evaluateConstantString(node);
}

/** The text of a node that may be a single word; nothing of longer ones is copied. */
const wordOf = ({ start, end, source }: SyntaxNode): string =>
  end - start > 10 ? '' : source.slice(start, end);
