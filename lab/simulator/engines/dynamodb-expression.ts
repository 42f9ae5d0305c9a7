/** The expressions of DynamoDB that the stores use, parsed once and evaluated on plain JavaScript values. */
export type ExpressionValues = Readonly<Record<string, unknown>>;
export type TableItem = Readonly<Record<string, unknown>>;
type Evaluate<T> = (item: TableItem | undefined, values: ExpressionValues) => T;

export class ExpressionError extends Error {}

const TOKEN = /\s*(<>|<=|>=|[=<>(),.+-]|[:#]?[A-Za-z_][\w-]*|\d+|\[|\])/y;

function tokenise(source: string): string[] {
  const tokens: string[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const match = TOKEN.exec(source);
    if (!match?.[1]) throw new ExpressionError(`cannot read "${source.slice(at)}"`);
    tokens.push(match[1]);
  }
  return tokens;
}

/** A parser's place in its tokens. */
export class ExpressionReader {
  readonly #tokens: string[];
  readonly #names: Readonly<Record<string, string>>;
  #at = 0;

  constructor(source: string, names: Readonly<Record<string, string>>) {
    this.#tokens = tokenise(source);
    this.#names = names;
  }

  get isDone(): boolean {
    return this.#at >= this.#tokens.length;
  }
  peek(ahead = 0): string | undefined {
    return this.#tokens[this.#at + ahead];
  }
  isWord(word: string, ahead = 0): boolean {
    return this.peek(ahead)?.toUpperCase() === word;
  }
  take(): string {
    const token = this.#tokens[this.#at++];
    if (token === undefined) throw new ExpressionError('the expression ends too early');
    return token;
  }
  expect(token: string): void {
    const found = this.take();
    if (found.toUpperCase() !== token) throw new ExpressionError(`"${found}" where "${token}" must be`);
  }
  list<T>(item: () => T): T[] {
    const items = [item()];
    while (this.peek() === ',') {
      this.take();
      items.push(item());
    }
    return items;
  }
  /** A path of attribute names; `#x` stands for a name. */
  path(): string[] {
    const part = (): string => {
      const token = this.take();
      if (!token.startsWith('#')) return token;
      const name = this.#names[token];
      if (name === undefined) throw new ExpressionError(`${token} is not defined`);
      return name;
    };
    const path = [part()];
    while (this.peek() === '.') {
      this.take();
      path.push(part());
    }
    return path;
  }
}

export const getValueAtPath = (item: TableItem | undefined, path: readonly string[]): unknown =>
  path.reduce<unknown>((value, name) => (value as TableItem | undefined)?.[name], item);

export function parseOperand(reader: ExpressionReader): Evaluate<unknown> {
  if (reader.isWord('SIZE') && reader.peek(1) === '(') {
    reader.take();
    reader.expect('(');
    const of = parseOperand(reader);
    reader.expect(')');
    return (item, values) => sizeOf(of(item, values));
  }
  if (reader.peek()?.startsWith(':')) {
    const name = reader.take();
    return (_item, values) => {
      if (!(name in values)) throw new ExpressionError(`${name} is not defined`);
      return values[name];
    };
  }
  const path = reader.path();
  return (item) => getValueAtPath(item, path);
}

function sizeOf(value: unknown): number | undefined {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (value instanceof Set) return value.size;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : undefined;
}

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, each: unknown) => {
    if (each instanceof Set) return { set: [...each].sort() };
    if (typeof each === 'object' && each !== null && !Array.isArray(each))
      return Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)));
    return each;
  });
const equal = (a: unknown, b: unknown): boolean =>
  a === b || (typeof a === 'object' && typeof b === 'object' && canonical(a) === canonical(b));

/** Negative, 0 or positive; null when the two cannot be compared. Texts by their UTF-8 bytes. */
export function compareValues(a: unknown, b: unknown): number | null {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'string' && typeof b === 'string') return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return null;
}

const COMPARISONS: Readonly<Record<string, (a: unknown, b: unknown) => boolean>> = {
  '=': equal,
  '<>': (a, b) => !equal(a, b),
  '<': (a, b) => (compareValues(a, b) ?? Number.NaN) < 0,
  '<=': (a, b) => (compareValues(a, b) ?? Number.NaN) <= 0,
  '>': (a, b) => (compareValues(a, b) ?? Number.NaN) > 0,
  '>=': (a, b) => (compareValues(a, b) ?? Number.NaN) >= 0,
};

function contains(whole: unknown, part: unknown): boolean {
  if (typeof whole === 'string') return typeof part === 'string' && whole.includes(part);
  if (whole instanceof Set) return whole.has(part);
  return Array.isArray(whole) && whole.some((each) => equal(each, part));
}

const FUNCTIONS: Readonly<Record<string, (...args: unknown[]) => boolean>> = {
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  contains,
  begins_with: (whole, start) =>
    typeof whole === 'string' && typeof start === 'string' && whole.startsWith(start),
};

function primary(reader: ExpressionReader): Evaluate<boolean> {
  if (reader.isWord('NOT')) {
    reader.take();
    const inner = primary(reader);
    return (item, values) => !inner(item, values);
  }
  if (reader.peek() === '(') {
    reader.take();
    const inner = either(reader);
    reader.expect(')');
    return inner;
  }
  const named = FUNCTIONS[reader.peek() ?? ''];
  if (named && reader.peek(1) === '(') {
    reader.take();
    reader.take();
    const args = reader.list(() => parseOperand(reader));
    reader.expect(')');
    return (item, values) => named(...args.map((each) => each(item, values)));
  }
  return comparison(reader);
}

function comparison(reader: ExpressionReader): Evaluate<boolean> {
  const left = parseOperand(reader);
  const word = reader.take().toUpperCase();
  if (word === 'IN') {
    reader.expect('(');
    const options = reader.list(() => parseOperand(reader));
    reader.expect(')');
    return (item, values) => options.some((each) => equal(left(item, values), each(item, values)));
  }
  if (word === 'BETWEEN') {
    const low = parseOperand(reader);
    reader.expect('AND');
    const high = parseOperand(reader);
    return (item, values) => {
      const value = left(item, values);
      return (
        COMPARISONS['>=']?.(value, low(item, values)) === true &&
        COMPARISONS['<=']?.(value, high(item, values)) === true
      );
    };
  }
  const compare = COMPARISONS[word];
  if (!compare) throw new ExpressionError(`"${word}" is not a comparison`);
  const right = parseOperand(reader);
  return (item, values) => {
    const [a, b] = [left(item, values), right(item, values)];
    // What is missing equals nothing; it differs from everything that is there.
    if (a === undefined || b === undefined) return word === '<>' && a !== b;
    return compare(a, b);
  };
}

function both(reader: ExpressionReader): Evaluate<boolean> {
  const parts = [primary(reader)];
  while (reader.isWord('AND')) {
    reader.take();
    parts.push(primary(reader));
  }
  return (item, values) => parts.every((each) => each(item, values));
}

function either(reader: ExpressionReader): Evaluate<boolean> {
  const parts = [both(reader)];
  while (reader.isWord('OR')) {
    reader.take();
    parts.push(both(reader));
  }
  return (item, values) => parts.some((each) => each(item, values));
}

const parsed = new Map<string, Evaluate<boolean>>();

/** A condition, a filter or a key condition. */
export function parseCondition(
  source: string,
  names: Readonly<Record<string, string>> = {},
): Evaluate<boolean> {
  const key = `${source}\n${JSON.stringify(names)}`;
  let found = parsed.get(key);
  if (!found) {
    const reader = new ExpressionReader(source, names);
    found = either(reader);
    if (!reader.isDone) throw new ExpressionError(`"${reader.peek()}" is too much in "${source}"`);
    parsed.set(key, found);
  }
  return found;
}
