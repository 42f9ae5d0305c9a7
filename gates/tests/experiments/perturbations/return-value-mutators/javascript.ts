import type { ReturnValueMutation, ReturnValueMutator } from '../rewrite-functions.ts';

const ANSWERED: Readonly<Record<ReturnValueMutation, string>> = {
  fails: "throw new Error('switched off')",
  nothing: 'return undefined',
  'no failure': 'return v',
  'other value': 'return other(v)',
  'other failure': 'return v',
};
const FAILED: Readonly<Record<ReturnValueMutation, string>> = {
  fails: 'throw e',
  nothing: 'throw e',
  'no failure': 'return undefined',
  'other value': 'throw e',
  'other failure': "throw new OtherFailure('another failure')",
};

/** Runs where the tests run. Only who is called from outside is changed. */
const helper = (how: ReturnValueMutation): string =>
  `(globalThis.__assayAround ??= (() => {
  const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
  const inside = new AsyncLocalStorage();
  const off = (v) => v.replace(/\\d/g, (digit) => (Number(digit) + 1) % 10);
  const part = (v, depth) => {
    for (const key of Object.keys(v)) {
      const now = other(v[key], depth + 1);
      if (!Object.is(now, v[key])) return [key, now];
    }
    return null;
  };
  const other = (v, depth = 0) => {
    try { return changed(v, depth); } catch { return v; }
  };
  const changed = (v, depth) => {
    if (typeof v === 'boolean') return !v;
    if (typeof v === 'number') return v + 1;
    if (typeof v === 'bigint') return v + 1n;
    if (typeof v === 'string') return off(v) === v ? v + '~' : off(v);
    if (typeof v !== 'object' || v === null || depth > 3) return v;
    if (v instanceof Date) return new Date(v.getTime() + 86_400_000);
    if (v instanceof Map) { const [one] = v; const made = new Map(v); if (one) made.set(one[0], other(one[1], depth + 1)); else made.set('~', 1); return made; }
    if (v instanceof Set) return new Set([...v, '~']);
    const found = part(v, depth);
    if (Array.isArray(v)) return found === null ? [...v, null] : v.with(Number(found[0]), found[1]);
    if (found === null) return v;
    const made = Object.create(Object.getPrototypeOf(v), Object.getOwnPropertyDescriptors(v));
    Object.defineProperty(made, found[0], { value: found[1], enumerable: true, configurable: true, writable: true });
    return made;
  };
  class OtherFailure extends Error {}
  const answered = (v) => { ${ANSWERED[how]}; };
  const failed = (e) => { ${FAILED[how]}; };
  return (work) => {
    if (inside.getStore()) return work();
    let v;
    try { v = inside.run(true, work); } catch (e) { return failed(e); }
    return Object.prototype.toString.call(v) === '[object Promise]' ? v.then(answered, failed) : answered(v);
  };
})())`.replaceAll(/\n\s*/g, ' ');

export const javascriptReturnValueMutator: ReturnValueMutator = {
  editsFor: (node, body, how) => {
    const isMade = node.type.startsWith('generator') || node.children.some(({ type }) => type === '*');
    // Who makes an object answers with it, whatever is written; a setter answers nobody.
    if (
      isMade ||
      node.childForField('name')?.text === 'constructor' ||
      node.children.some(({ type }) => type === 'set')
    )
      return [];
    const kept = node.children.some(({ type }) => type === 'async') ? 'async ' : '';
    const [before, after] =
      body.type === 'statement_block'
        ? [`{ return ${helper(how)}(${kept}() => `, '); }']
        : [`${helper(how)}(${kept}() => (`, '))'];
    return [
      { start: body.start, end: body.start, replacement: before },
      { start: body.end, end: body.end, replacement: after, closesOther: true },
    ];
  },
  textAtEnd: () => '',
  mutatesOutermostCall: true,
};
