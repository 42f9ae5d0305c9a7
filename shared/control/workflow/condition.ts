/** An expression of a conditional node that cannot be read. */
export class ConditionSyntaxError extends Error {
  override readonly name = 'BadCondition';
}

type Facts = Readonly<Record<string, string | number | boolean>>;
type Condition = (facts: Facts) => boolean;

const TOKEN = /\s*(?:(==|!=|\(|\))|"([^"]*)"|'([^']*)'|([A-Za-z0-9_.-]+))/y;

function tokenize(expression: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  const text = expression.trimEnd();
  while (TOKEN.lastIndex < text.length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(text);
    if (!found) throw new ConditionSyntaxError(`cannot be read from character ${at + 1} on`);
    tokens.push(found[1] ?? found[2] ?? found[3] ?? found[4] ?? '');
  }
  return tokens;
}

const RESERVED = new Set(['AND', 'OR', 'NOT', '(', ')', '==', '!=']);

/**
 * Reads `true`, `key`, `key == value`, `key != value`, NOT, AND, OR and parentheses; NOT binds before AND, AND before OR.
 * @throws BadCondition
 */
export function parseCondition(expression: string, known: readonly string[]): Condition {
  const tokens = tokenize(expression);
  let at = 0;
  const all = or();
  if (at < tokens.length) throw new ConditionSyntaxError(`"${tokens[at]}" stands where nothing can follow`);
  return all;

  function or(): Condition {
    let left = and();
    while (tokens[at] === 'OR') {
      at++;
      const [one, other] = [left, and()];
      left = (facts) => one(facts) || other(facts);
    }
    return left;
  }

  function and(): Condition {
    let left = not();
    while (tokens[at] === 'AND') {
      at++;
      const [one, other] = [left, not()];
      left = (facts) => one(facts) && other(facts);
    }
    return left;
  }

  function not(): Condition {
    let isNegated = false;
    for (; tokens[at] === 'NOT'; at++) isNegated = !isNegated;
    const inner = atom();
    return isNegated ? (facts) => !inner(facts) : inner;
  }

  function word(what: string): string {
    const token = tokens[at++];
    if (token === undefined || RESERVED.has(token))
      throw new ConditionSyntaxError(
        token === undefined ? `ends where ${what} is missing` : `${what} is missing before "${token}"`,
      );
    return token;
  }

  function atom(): Condition {
    if (tokens[at] === '(') {
      at++;
      const inner = or();
      if (tokens[at++] !== ')') throw new ConditionSyntaxError('a parenthesis is not closed');
      return inner;
    }
    const key = word('a name');
    if (/^(true|false)$/i.test(key)) return () => key.toLowerCase() === 'true';
    if (!known.includes(key))
      throw new ConditionSyntaxError(`nothing is known as "${key}"; known: ${known.join(', ')}`);
    const operator = tokens[at];
    if (operator !== '==' && operator !== '!=') return (facts) => Boolean(facts[key]);
    at++;
    const value = word('a value');
    return (facts) => (String(facts[key]) === value) === (operator === '==');
  }
}
