import type { ReturnValueMutation, ReturnValueMutator } from '../rewrite-functions.ts';

const ANSWERED: Readonly<Record<ReturnValueMutation, string>> = {
  fails: 'raise RuntimeError("switched off")',
  nothing: 'return None',
  'no failure': 'return v',
  'other value': 'return other(v)',
  'other failure': 'return v',
};
const FAILED: Readonly<Record<ReturnValueMutation, string>> = {
  fails: 'raise e',
  nothing: 'raise e',
  'no failure': 'return None',
  'other value': 'raise e',
  'other failure': 'raise OtherFailure("another failure")',
};

/** Runs where the tests run: in any Python from 3.9 on. Only who is called from outside is changed. */
const helper = (how: ReturnValueMutation): string => `
import contextvars, copy, datetime, decimal, enum, functools, inspect, numbers, sys
inside = sys.__dict__.setdefault("_assay_inside", contextvars.ContextVar("assay_inside", default=False))
def digits(v):
    return "".join(str((int(c) + 1) % 10) if c in "0123456789" else c for c in v)
def other(v, depth=0):
    try:
        return changed(v, depth)
    except Exception:
        return v
def first(pairs, depth):
    for key, value in pairs:
        now = other(value, depth + 1)
        if now is not value:
            return key, now
    return None
def changed(v, depth):
    if isinstance(v, bool):
        return not v
    if isinstance(v, enum.Enum):
        return next((each for each in type(v) if each is not v), v)
    if isinstance(v, decimal.Decimal) and v.is_finite():
        return v + decimal.Decimal((0, (1,), v.as_tuple().exponent))
    if isinstance(v, numbers.Number):
        return v + 1
    if isinstance(v, str):
        return digits(v) if digits(v) != v else v + "~"
    if isinstance(v, bytes):
        return v + b"~"
    if isinstance(v, datetime.date):
        return v + datetime.timedelta(days=1)
    if depth > 3 or v is None or callable(v):
        return v
    if isinstance(v, list):
        at = first(enumerate(v), depth)
        return v + [None] if at is None else v[: at[0]] + [at[1]] + v[at[0] + 1 :]
    if isinstance(v, tuple):
        at = first(enumerate(v), depth)
        if at is None:
            return v + (None,)
        made = v[: at[0]] + (at[1],) + v[at[0] + 1 :]
        return type(v)(*made) if hasattr(v, "_fields") else made
    if isinstance(v, dict):
        at = first(v.items(), depth)
        made = copy.copy(v)
        made["~" if at is None else at[0]] = None if at is None else at[1]
        return made
    if hasattr(v, "__dict__"):
        at = first(vars(v).items(), depth)
        if at is not None:
            made = copy.copy(v)
            object.__setattr__(made, at[0], at[1])
            return made
    return v
class OtherFailure(Exception):
    pass
def answered(v):
    ${ANSWERED[how]}
def failed(e):
    ${FAILED[how]}
def wrap(f):
    if inspect.isgeneratorfunction(f) or inspect.isasyncgenfunction(f) or not inspect.isfunction(f):
        return f
    if inspect.iscoroutinefunction(f):
        @functools.wraps(f)
        async def around(*a, **k):
            if inside.get():
                return await f(*a, **k)
            before = inside.set(True)
            try:
                try:
                    v = await f(*a, **k)
                finally:
                    inside.reset(before)
            except Exception as e:
                return failed(e)
            return answered(v)
    else:
        @functools.wraps(f)
        def around(*a, **k):
            if inside.get():
                return f(*a, **k)
            before = inside.set(True)
            try:
                try:
                    v = f(*a, **k)
                finally:
                    inside.reset(before)
            except Exception as e:
                return failed(e)
            return answered(v)
    return around
`;

/** A decorator nearest to the function, which brings all that it needs. */
export const pythonReturnValueMutator: ReturnValueMutator = {
  editsFor: (node, _body, how) => {
    const name = node.childForField('name')?.text ?? '';
    // What the language itself asks of an object has a form of its own.
    if (name.startsWith('__')) return [];
    const lineStart = node.source.lastIndexOf('\n', node.start - 1) + 1;
    const indent = /^[ \t]*/.exec(node.source.slice(lineStart, node.start))?.[0] ?? '';
    const by = `@(lambda f, names={}: (exec(${JSON.stringify(helper(how))}, names), names["wrap"](f))[1])\n${indent}`;
    return [{ start: node.start, end: node.start, replacement: by }];
  },
  textAtEnd: () => '',
  mutatesOutermostCall: true,
};
