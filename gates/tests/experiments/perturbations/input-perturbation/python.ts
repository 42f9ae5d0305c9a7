import type { SyntaxNode } from '../../../../code/parsing/syntax-node.ts';
import type { TextEdit } from '../rewrite-functions.ts';
import type { CallRecordingLimits } from './recorded-calls.ts';

/** Runs where the tests run, in any Python from 3.9 on. Only what is called from outside of the code is written down. */
const helper = (extent: CallRecordingLimits): string => `
import ast, contextvars, copy, functools, inspect, json, os, sys
inside = sys.__dict__.setdefault("_assay_inside", contextvars.ContextVar("assay_inside", default=False))
asked = sys.__dict__.setdefault("_assay_asked", {})
def is_number(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)
def moves(v):
    if is_number(v):
        far = [v * 2, v * 10] if abs(v) <= 10000 else []
        return [("n", each) for each in [v + 1, v - 1, v + 100, *far] if each != v and (each < 0) == (v < 0)]
    if isinstance(v, str):
        at = [i for i, c in enumerate(v) if c in "0123456789"]
        if at:
            return [("t", v[:i] + str((int(v[i]) + 1) % 10) + v[i + 1 :]) for i in dict.fromkeys([at[-1], at[0]])]
        letters = [i for i, c in enumerate(v) if c.isascii() and c.isalpha()]
        if len(letters) >= 6 and " " in v:
            return [("t", v[:i] + ("b" if v[i] != "b" else "c") + v[i + 1 :]) for i in (letters[len(letters) // 2], letters[-1])]
        return []
    if isinstance(v, (list, tuple)) and v and len(v) < 50 and all(is_number(each) for each in v):
        return [("n", type(v)([each + 1 for each in v])), ("n", type(v)([v[0] + 1, *v[1:]])), ("n", type(v)([*v, *v[:1]]))]
    return []
def wrong(v):
    if isinstance(v, str):
        return [("w", "no such " + v), ("w", v + "~?"), ("x", None)]
    if is_number(v):
        return [("x", None), ("x", "text")]
    return [("x", None), ("x", [None])] if isinstance(v, (list, tuple)) else []
def neighbours(a):
    found = []
    for at, v in enumerate(a):
        for kind, each in moves(v):
            found.append((kind, a[:at] + (each,) + a[at + 1 :]))
    if sum(1 for v in a if is_number(v)) > 1:
        found.append(("n", tuple(v + 1 if is_number(v) else v for v in a)))
        found.append(("n", tuple(v * 2 if is_number(v) else v for v in a)))
    bad = [(kind, a[:at] + (each,) + a[at + 1 :]) for at, v in enumerate(a) for kind, each in wrong(v)]
    return [*found[:16], *bad[:9]]
def came(f, a, k):
    try:
        return repr(f(*a, **k))[:${extent.maxValueLength}]
    except Exception as e:
        return "!" + type(e).__name__
def plain(v, depth=0):
    if v is None or isinstance(v, (bool, int, float, str, bytes)):
        return True
    return depth < 4 and isinstance(v, (list, tuple)) and all(plain(each, depth + 1) for each in v)
def answer(f, a, k, told):
    try:
        return ast.literal_eval(told)
    except Exception:
        return f(*a, **k)
def watch(name, f, told):
    if not inspect.isfunction(f) or inspect.isgeneratorfunction(f) or inspect.iscoroutinefunction(f) or inspect.isasyncgenfunction(f):
        return f
    @functools.wraps(f)
    def around(*a, **k):
        if inside.get() or len(asked.setdefault(name, set())) >= ${extent.maxCalls} or not all(plain(v) for v in [*a, *k.values()]):
            return f(*a, **k)
        key = repr((a, sorted(k.items())))[:${extent.maxValueLength}]
        before = inside.set(True)
        try:
            if key not in asked[name]:
                asked[name].add(key)
                said = [[kind, repr(each), came(f, copy.deepcopy(each), copy.deepcopy(k))] for kind, each in ${extent.includesNeighbours ? 'neighbours(a)' : '()'}]
                line = json.dumps([name, key, came(f, copy.deepcopy(a), copy.deepcopy(k)), said])
                with open(os.environ["ASSAY_MOVED"], "a") as file:
                    file.write(line + "\\n")
            return answer(f, a, k, told[key]) if key in told else f(*a, **k)
        finally:
            inside.reset(before)
    return around
`;

/**
 * A decorator nearest to a function of a module.
 * @param told what it answers to what, as texts, where it does not answer itself.
 */
export function buildPythonCallRecorder(
  node: SyntaxNode,
  name: string,
  told: Readonly<Record<string, string>>,
  extent: CallRecordingLimits,
): readonly TextEdit[] {
  const own = node.childForField('name')?.text ?? '';
  const outside = node.parent?.type === 'decorated_definition' ? node.parent.parent : node.parent;
  if (outside?.type !== 'module' || own.startsWith('__')) return [];
  const by = `@(lambda f, names={}: (exec(${JSON.stringify(helper(extent))}, names), names["watch"](${JSON.stringify(name)}, f, ${JSON.stringify(told)}))[1])\n`;
  return [{ start: node.start, end: node.start, replacement: by }];
}
