import type { SyntaxNode } from '../../../../code/parsing/syntax-node.ts';
import type { TextEdit } from '../rewrite-functions.ts';
import type { CallRecordingLimits } from './recorded-calls.ts';

/** Runs where the tests run. Only what is called from outside of the code is written down. */
const helper = (extent: CallRecordingLimits): string =>
  `(globalThis.__assayWatch ??= (() => {
  const { AsyncLocalStorage } = process.getBuiltinModule('node:async_hooks');
  const { appendFileSync } = process.getBuiltinModule('node:fs');
  const inside = new AsyncLocalStorage();
  const asked = new Map();
  const isNumber = (v) => typeof v === 'number' && Number.isFinite(v);
  const put = (v, at, by) => v.slice(0, at) + by + v.slice(at + 1);
  const moves = (v) => {
    if (isNumber(v)) return [v + 1, v - 1, v + 100, ...(Math.abs(v) <= 10000 ? [v * 2, v * 10] : [])].filter((each) => each !== v && each < 0 === v < 0).map((each) => ['n', each]);
    if (typeof v === 'string') {
      const digits = [...v.matchAll(/[0-9]/g)].map(({ index }) => index);
      if (digits.length > 0) return [...new Set([digits.at(-1), digits[0]])].map((at) => ['t', put(v, at, String((Number(v[at]) + 1) % 10))]);
      const letters = [...v.matchAll(/[A-Za-z]/g)].map(({ index }) => index);
      if (letters.length >= 6 && v.includes(' ')) return [letters[letters.length >> 1], letters.at(-1)].map((at) => ['t', put(v, at, v[at] === 'b' ? 'c' : 'b')]);
      return [];
    }
    if (Array.isArray(v) && v.length > 0 && v.length < 50 && v.every(isNumber)) return [['n', v.map((each) => each + 1)], ['n', [v[0] + 1, ...v.slice(1)]], ['n', [...v, v[0]]]];
    return [];
  };
  const wrong = (v) => typeof v === 'string' ? [['w', 'no such ' + v], ['w', v + '~?'], ['x', null]] : isNumber(v) ? [['x', null], ['x', 'text']] : Array.isArray(v) ? [['x', null], ['x', [null]]] : [];
  const neighbours = (a) => {
    const found = a.flatMap((v, at) => moves(v).map(([kind, each]) => [kind, a.with(at, each)]));
    if (a.filter(isNumber).length > 1) for (const by of [(v) => v + 1, (v) => v * 2]) found.push(['n', a.map((v) => (isNumber(v) ? by(v) : v))]);
    const bad = a.flatMap((v, at) => wrong(v).map(([kind, each]) => [kind, a.with(at, each)]));
    return [...found.slice(0, 16), ...bad.slice(0, 9)];
  };
  const plain = (v, depth = 0) => v === null || ['undefined', 'boolean', 'number', 'string'].includes(typeof v) || (depth < 4 && Array.isArray(v) && v.every((each) => plain(each, depth + 1)));
  const told = (v) => (JSON.stringify(v, (_, each) => (typeof each === 'bigint' || (typeof each === 'number' && !Number.isFinite(each)) ? String(each) : each)) ?? String(v)).slice(0, ${extent.maxValueLength});
  const read = (text) => { try { return [JSON.parse(text)]; } catch { return null; } };
  const came = (work, a) => {
    try { const v = work(...structuredClone(a)); return v instanceof Promise ? null : told(v); } catch (e) { return '!' + (e?.name ?? 'thrown'); }
  };
  return (name, work, a, answers = {}) => {
    if (!asked.has(name)) asked.set(name, new Set());
    if (inside.getStore() || asked.get(name).size >= ${extent.maxCalls} || !plain(a)) return work(...a);
    const key = told(a);
    return inside.run(true, () => {
      if (!asked.get(name).has(key)) {
        asked.get(name).add(key);
        const own = came(work, a);
        const said = own === null ? [] : ${extent.includesNeighbours ? 'neighbours(a)' : '[]'}.map(([kind, each]) => [kind, told(each), came(work, each)]);
        try { if (own !== null) appendFileSync(process.env.ASSAY_MOVED, JSON.stringify([name, key, own, said]) + '\\n'); } catch {}
      }
      const given = Object.hasOwn(answers, key) ? read(answers[key]) : null;
      return given === null ? work(...a) : given[0];
    });
  };
})())`.replaceAll(/\n\s*/g, ' ');

const nameOf = (parameter: SyntaxNode): string | null => {
  const inner = /^(?:required|optional)_parameter$/.test(parameter.type)
    ? parameter.childForField('pattern')
    : parameter.type === 'assignment_pattern'
      ? parameter.childForField('left')
      : parameter;
  return inner?.type === 'identifier' ? inner.text : null;
};

/**
 * The body works in a function of its own, which can be called again.
 * @param told what it answers to what, as texts, where it does not answer itself.
 */
export function buildJavascriptCallRecorder(
  node: SyntaxNode,
  body: SyntaxNode,
  name: string,
  told: Readonly<Record<string, string>>,
  extent: CallRecordingLimits,
): readonly TextEdit[] {
  const isAside = node.children.some(
    ({ type }) => type === '*' || type === 'async' || type === 'get' || type === 'set',
  );
  const parameters = node.childForField('parameters') ?? node.childForField('parameter');
  const all =
    parameters === null ? [] : parameters.type === 'identifier' ? [parameters] : parameters.namedChildren;
  const names = all.filter(({ type }) => type !== 'comment').map(nameOf);
  if (isAside || node.type === 'method_definition' || node.type.startsWith('generator')) return [];
  if (names.length === 0 || names.includes(null) || /\bthis\b|\barguments\b/.test(body.text)) return [];
  const written = parameters?.type === 'identifier' ? `(${parameters.text})` : (parameters?.text ?? '()');
  const call = `${helper(extent)}(${JSON.stringify(name)}, ${written} => `;
  const given = `, [${names.join(', ')}], ${JSON.stringify(told)})`;
  const isBlock = body.type === 'statement_block';
  return [
    { start: body.start, end: body.start, replacement: isBlock ? `{ return ${call}` : `${call}(` },
    { start: body.end, end: body.end, replacement: isBlock ? `${given}; }` : `)${given}`, closesOther: true },
  ];
}
