/** A value at one time, or null where the metric has none. */
export type DataPoint = number | null;

/** A compiled metric math expression. */
export interface MetricExpression {
  /** Ids of the metrics and expressions that it names. */
  readonly ids: readonly string[];
  evaluate(read: (id: string) => DataPoint): DataPoint;
}

type Node = (read: (id: string) => DataPoint) => DataPoint;

/** Operators by precedence, lowest first. Comparisons and logic return 1 or 0. */
const LEVELS: ReadonlyArray<Readonly<Record<string, (left: number, right: number) => number>>> = [
  { '||': (a, b) => Number(a !== 0 || b !== 0), OR: (a, b) => Number(a !== 0 || b !== 0) },
  { '&&': (a, b) => Number(a !== 0 && b !== 0), AND: (a, b) => Number(a !== 0 && b !== 0) },
  {
    '==': (a, b) => Number(a === b),
    '!=': (a, b) => Number(a !== b),
    '<=': (a, b) => Number(a <= b),
    '>=': (a, b) => Number(a >= b),
    '<': (a, b) => Number(a < b),
    '>': (a, b) => Number(a > b),
  },
  { '+': (a, b) => a + b, '-': (a, b) => a - b },
  { '*': (a, b) => a * b, '/': (a, b) => a / b },
];

/** Functions. They get their arguments unevaluated. */
const FUNCTIONS: Readonly<
  Record<string, { readonly arity: readonly number[]; make(...args: Node[]): Node }>
> = {
  IF: {
    arity: [2, 3],
    make: (condition, then, otherwise) => (read) => {
      const holds = condition?.(read) ?? null;
      if (holds === null) return null;
      return (holds !== 0 ? then : otherwise)?.(read) ?? null;
    },
  },
  FILL: {
    arity: [2],
    make: (metric, filler) => (read) => metric?.(read) ?? filler?.(read) ?? null,
  },
};

const TOKEN = /\s*(?:(\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|([A-Za-z_]\w*)|(\|\||&&|[=!<>]=|[-+*/<>(),]))/y;

/**
 * Compiles metric math: numbers, ids, `+ - * /`, comparisons, AND, OR, `IF` and `FILL`, evaluated for each
 * period. A missing operand makes the result missing, and so does a division by zero. @throws Error that
 * names the unsupported token or function.
 */
export function compileMetricMath(source: string): MetricExpression {
  const tokens = tokenize(source);
  const ids = new Set<string>();
  let position = 0;
  const peek = () => tokens[position];
  const fail = (what: string): never => {
    throw new Error(`${what} in the expression "${source}"`);
  };
  const accept = (token: string): boolean => {
    if (peek() !== token) return false;
    position += 1;
    return true;
  };
  const expect = (token: string) => {
    if (!accept(token)) fail(`"${token}" is expected before "${peek() ?? 'the end'}"`);
  };

  const binary = (level: number): Node => {
    const operators = LEVELS[level];
    if (!operators) return unary();
    let left = binary(level + 1);
    for (;;) {
      const apply = operators[peek() ?? ''];
      if (!apply) return left;
      position += 1;
      left = combine(apply, left, binary(level + 1));
    }
  };
  const unary = (): Node => {
    if (!accept('-')) return primary();
    return combine(
      (zero, value) => zero - value,
      () => 0,
      unary(),
    );
  };
  const primary = (): Node => {
    const token = peek() ?? fail('something is missing at the end');
    position += 1;
    if (token === '(') {
      const inner = binary(0);
      expect(')');
      return inner;
    }
    if (/^\d/.test(token)) return () => Number(token);
    if (accept('(')) return call(token);
    // Functions are in capitals, ids begin with a small letter (CloudWatch user guide, metric math).
    if (!/^[a-z]/.test(token)) return fail(`"${token}" is not understood`);
    ids.add(token);
    return (read) => read(token);
  };
  const call = (name: string): Node => {
    const known = Object.hasOwn(FUNCTIONS, name) ? FUNCTIONS[name] : undefined;
    if (!known) return fail(`the function ${name} is not supported`);
    const args = [binary(0)];
    while (accept(',')) args.push(binary(0));
    expect(')');
    if (!known.arity.includes(args.length)) fail(`${name} does not take ${args.length} arguments`);
    return known.make(...args);
  };

  const node = binary(0);
  if (position < tokens.length) fail(`"${peek()}" is not expected`);
  return { ids: [...ids], evaluate: (read) => node(read) };
}

function combine(apply: (left: number, right: number) => number, left: Node, right: Node): Node {
  return (read) => {
    const [a, b] = [left(read), right(read)];
    if (a === null || b === null) return null;
    const value = apply(a, b);
    return Number.isFinite(value) ? value : null;
  };
}

function tokenize(source: string): readonly string[] {
  const text = source.trim();
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length) {
    const start = TOKEN.lastIndex;
    const [, number, word, sign] = TOKEN.exec(text) ?? [];
    const token = number ?? word ?? sign;
    if (token === undefined)
      throw new Error(`"${text.slice(start).trim()}" is not understood in the expression "${source}"`);
    tokens.push(token);
  }
  return tokens;
}
