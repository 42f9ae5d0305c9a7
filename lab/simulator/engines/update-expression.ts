import {
  ExpressionError,
  ExpressionReader,
  type ExpressionValues,
  getValueAtPath,
  parseOperand,
  type TableItem,
} from './dynamodb-expression.ts';

type Write = (item: Record<string, unknown>, before: TableItem, values: ExpressionValues) => void;
const SECTIONS = ['SET', 'ADD', 'REMOVE', 'DELETE'];

function set(item: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    if (value === undefined) delete item[name];
    else item[name] = value;
    return;
  }
  const inner = item[name];
  if (typeof inner !== 'object' || inner === null)
    throw new ExpressionError('the document path of the update does not exist');
  const copy = { ...(inner as Record<string, unknown>) };
  set(copy, rest, value);
  item[name] = copy;
}

type Value = (before: TableItem, values: ExpressionValues) => unknown;

function term(reader: ExpressionReader): Value {
  if (reader.isWord('IF_NOT_EXISTS') && reader.peek(1) === '(') {
    reader.take();
    reader.take();
    const path = reader.path();
    reader.expect(',');
    const otherwise = expression(reader);
    reader.expect(')');
    return (before, values) => getValueAtPath(before, path) ?? otherwise(before, values);
  }
  if (reader.isWord('LIST_APPEND') && reader.peek(1) === '(') {
    reader.take();
    reader.take();
    const first = expression(reader);
    reader.expect(',');
    const second = expression(reader);
    reader.expect(')');
    return (before, values) => [
      ...(first(before, values) as unknown[]),
      ...(second(before, values) as unknown[]),
    ];
  }
  const value = parseOperand(reader);
  return (before, values) => {
    const found = value(before, values);
    if (found === undefined) throw new ExpressionError('an attribute of the update does not exist');
    return found;
  };
}

function expression(reader: ExpressionReader): Value {
  const left = term(reader);
  const sign = reader.peek();
  if (sign !== '+' && sign !== '-') return left;
  reader.take();
  const right = term(reader);
  const factor = sign === '+' ? 1 : -1;
  return (before, values) => (left(before, values) as number) + factor * (right(before, values) as number);
}

function added(present: unknown, more: unknown): unknown {
  if (typeof more === 'number') return ((present as number | undefined) ?? 0) + more;
  if (more instanceof Set) return new Set([...((present as Set<unknown> | undefined) ?? []), ...more]);
  throw new ExpressionError('ADD takes a number or a set');
}

function removed(present: unknown, less: unknown): unknown {
  if (!(less instanceof Set)) throw new ExpressionError('DELETE takes a set');
  const left = new Set([...((present as Set<unknown> | undefined) ?? [])].filter((each) => !less.has(each)));
  return left.size === 0 ? undefined : left;
}

function clause(section: string, reader: ExpressionReader): Write {
  const path = reader.path();
  if (section === 'REMOVE') return (item) => set(item, path, undefined);
  if (section === 'SET') {
    reader.expect('=');
    const value = expression(reader);
    return (item, before, values) => set(item, path, value(before, values));
  }
  const value = parseOperand(reader);
  const combine = section === 'ADD' ? added : removed;
  return (item, before, values) =>
    set(item, path, combine(getValueAtPath(before, path), value(before, values)));
}

/** The item after an UpdateExpression. */
export function applyUpdateExpression(
  source: string,
  names: Readonly<Record<string, string>>,
  values: ExpressionValues,
  before: TableItem,
): Record<string, unknown> {
  const reader = new ExpressionReader(source, names);
  const item = { ...before };
  while (!reader.isDone) {
    const section = reader.take().toUpperCase();
    if (!SECTIONS.includes(section)) throw new ExpressionError(`"${section}" is not a part of an update`);
    for (const write of reader.list(() => clause(section, reader))) write(item, before, values);
  }
  return item;
}
