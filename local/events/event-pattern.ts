import { isRecord } from '../resource-properties.ts';

/** Returns true if the event matches. */
export type EventMatcher = (event: unknown) => boolean;
type ValueMatcher = (value: string | number | boolean | null) => boolean;

/**
 * Compiles an event pattern: exact values, `prefix`, `anything-but`, `exists` and `numeric`. Keys are joined
 * by AND, the values of one key by OR; an array in the event matches by any element. @throws Error that names
 * the field with an unsupported matcher.
 */
export function compilePattern(pattern: unknown, path = 'EventPattern'): EventMatcher {
  if (!isRecord(pattern)) throw new Error(`${path} must be an object`);
  const fields = Object.entries(pattern).map(([key, expected]) => {
    const where = `${path}.${key}`;
    if (key.startsWith('$')) throw new Error(`${where} is not supported`);
    const matcher = Array.isArray(expected) ? compileLeaf(expected, where) : compilePattern(expected, where);
    return { key, matcher };
  });
  return (event) => fields.every(({ key, matcher }) => matcher(isRecord(event) ? event[key] : undefined));
}

function compileLeaf(expected: readonly unknown[], where: string): EventMatcher {
  if (expected.length === 0) throw new Error(`${where} has no values`);
  const alternatives = expected.map((one): EventMatcher => {
    if (isRecord(one) && 'exists' in one) {
      const exists = only(one, 'exists', where);
      return (value) => (value !== undefined) === exists;
    }
    const matches = compileValue(one, where);
    return (value) =>
      Array.isArray(value)
        ? value.some((item) => isScalar(item) && matches(item))
        : isScalar(value) && matches(value);
  });
  return (value) => alternatives.some((matches) => matches(value));
}

function compileValue(expected: unknown, where: string): ValueMatcher {
  if (isScalar(expected)) return (value) => value === expected;
  if (!isRecord(expected)) throw new Error(`${where} holds a value that cannot be matched`);
  if ('prefix' in expected) {
    const prefix = only(expected, 'prefix', where);
    if (typeof prefix !== 'string') throw new Error(`${where}: prefix must be text`);
    return (value) => typeof value === 'string' && value.startsWith(prefix);
  }
  if ('anything-but' in expected) {
    const excluded = [only(expected, 'anything-but', where)].flat();
    if (!excluded.every(isScalar)) throw new Error(`${where}: anything-but takes values only`);
    return (value) => !excluded.includes(value);
  }
  if ('numeric' in expected) return compileNumeric(only(expected, 'numeric', where), where);
  throw new Error(`${where}: ${Object.keys(expected).join(', ')} is not supported`);
}

const COMPARISONS: Readonly<Record<string, (left: number, right: number) => boolean>> = {
  '=': (left, right) => left === right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/** `["<", 3]` or `[">=", 1, "<", 3]`. */
function compileNumeric(terms: unknown, where: string): ValueMatcher {
  if (!Array.isArray(terms) || (terms.length !== 2 && terms.length !== 4)) {
    throw new Error(`${where}: numeric takes one or two comparisons`);
  }
  const checks: Array<(value: number) => boolean> = [];
  for (let index = 0; index < terms.length; index += 2) {
    const [operator, bound]: readonly unknown[] = terms.slice(index);
    const compare = COMPARISONS[String(operator)];
    if (!compare || typeof bound !== 'number') {
      throw new Error(`${where}: numeric ${JSON.stringify(terms)} is not supported`);
    }
    checks.push((value) => compare(value, bound));
  }
  return (value) => typeof value === 'number' && checks.every((check) => check(value));
}

/** Returns the value of the operator. @throws Error for a second key beside it. */
function only(expected: Readonly<Record<string, unknown>>, operator: string, where: string): unknown {
  const other = Object.keys(expected).find((key) => key !== operator);
  if (other) throw new Error(`${where}: ${other} beside ${operator} is not supported`);
  return expected[operator];
}

function isScalar(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}
