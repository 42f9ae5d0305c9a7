import { FUNCTIONS } from '../../../code/functions.ts';
import type { Syntax } from '../../../code/syntax.ts';
import type { Bindings } from './bindings.ts';
import type { Assertion, Level, Reach, ReadCase } from './model.ts';
import { reachOf } from './reach.ts';
import { asksStandIn, type StandIn } from './stand-ins.ts';

/** What is known of a file, and how its language is read. */
export interface Reading {
  readonly root: Syntax;
  readonly bindings: Bindings;
  readonly assertionAt: (node: Syntax) => Assertion | null;
  /** The name of the function that a node calls, when it is a plain name. */
  readonly callee: (node: Syntax) => string | null;
  /** Rows of the table that a node goes through; null when nobody knows. */
  readonly rows: (node: Syntax, root: Syntax) => number | null;
  /** How many nodes may still be looked at: helpers that call helpers must not make this endless. */
  readonly budget: { nodes: number };
  /** Matchers that the file defines itself, by name. */
  readonly matchers: ReadonlyMap<string, Syntax>;
  /** What stands in for the project's code, in the whole file. */
  readonly standIns: readonly StandIn[];
}

export interface Described {
  readonly name: string;
  readonly line: number;
  readonly node: Syntax;
  readonly body: Syntax;
  readonly reach: Reach;
  readonly why: string | null;
  readonly leftOut: boolean;
  /** Rows of the tables around the case; null when nobody knows. */
  readonly outer: number | null;
}

/** Most assertions that are counted for one case, and how deep helpers are followed. */
const MAX_STRENGTH = 400;
const MAX_HELPERS = 4;
const MAX_MENTIONED = 50;
/** Most nodes that are looked at for the cases of one file. */
export const MAX_LOOKS = 3_000_000;
/** Names under which projects keep assertions of their own. */
const HELPER = /^_?(?:assert|expect|should|verify|check|ensure|must|matches)(?:[A-Z_]\w*)?$/;

/** Collects what one case asks. */
export function gather(reading: Reading, { outer, body, ...rest }: Described): ReadCase {
  const { bindings, root } = reading;
  const found: Level[] = [];
  let open = outer === null;
  let attached = false;
  const uses = new Set<string>();
  const texts = new Set<string>();
  const spelt = { values: 0, open: 0 };
  let calls = false;

  const made = valuesOf(body, reading);
  const look = (top: Syntax, rows: number, depth: number, following: readonly string[]): void => {
    const asserts = (node: Syntax): boolean => {
      for (const each of node.walk()) if (reading.assertionAt(each)) return true;
      return false;
    };
    const memo = new Map<Syntax, boolean>();
    const options = {
      isUsed: bindings.isUsed,
      asserts: (node: Syntax): boolean => {
        const known = memo.get(node) ?? asserts(node);
        memo.set(node, known);
        return known;
      },
    };
    for (const node of top.walk()) {
      if (--reading.budget.nodes < 0 || found.length >= MAX_STRENGTH) {
        open = true;
        return;
      }
      const callee = reading.callee(node);
      // A helper of the file's own is followed, whatever its name.
      const own = callee === null ? undefined : bindings.functions.get(callee);
      const assertion = own ? null : reading.assertionAt(node);
      if (!assertion && callee === null) continue;
      const reach = reachOf(node, top, options);
      if (reach === 'never') continue;
      const times = rows * rowsOf(node, top);
      if (times === 0) continue;
      if (assertion) {
        const asked = worth(assertion, top === body ? made : null);
        const level: Level = reach === 'may_run' ? (Math.min(1, asked) as Level) : asked;
        for (let count = 0; count < times && found.length < MAX_STRENGTH; count++) found.push(level);
        if (level > 0) texts.add(plain(node.text));
        if (level > 0) spell(assertion, spelt);
        if (assertion.subjects.some((subject) => bindings.isAttached(subject))) attached = true;
        const matcher = reading.matchers.get(matcherOf(node));
        if (matcher) {
          open = true;
          attached ||= [...matcher.walk()].some((each) => bindings.isName(each) && bindings.isAttached(each));
        }
        continue;
      }
      if (callee === null || following.includes(callee)) continue;
      // One that the case makes itself is looked at where it stands.
      if (own && !(body.start <= own.start && own.end <= body.end) && !contains(own, node)) {
        if (depth < MAX_HELPERS) look(own, times, depth + 1, [...following, callee]);
      } else if (
        !own &&
        bindings.mayAssert(callee) &&
        (bindings.imports.has(callee) || (HELPER.test(callee) && callee !== 'expect'))
      ) {
        open = true;
        attached = true;
      }
    }
  };
  const rowsOf = (node: Syntax, top: Syntax): number => {
    let rows = 1;
    for (let at: Syntax | null = node.parent; at && at !== top; at = at.parent) {
      const more = reading.rows(at, root);
      if (more === null) open = true;
      else rows = Math.min(MAX_STRENGTH, rows * more);
    }
    return rows;
  };
  look(body, Math.max(1, outer ?? 1), 0, []);
  const seen = new Set<Syntax>();
  const mention = (top: Syntax): void => {
    if (seen.has(top)) return;
    seen.add(top);
    for (const node of top.walk()) {
      if (--reading.budget.nodes < 0) return;
      const method = bindings.functions.get(reading.callee(node) ?? '');
      if (method && seen.size < MAX_MENTIONED) mention(method);
      const matcher = reading.matchers.get(matcherOf(node));
      if (matcher) mention(matcher);
      if (!bindings.isName(node)) continue;
      for (const name of bindings.ownNames(node)) {
        uses.add(name);
        calls ||= isCalled(node);
      }
      const helper = bindings.functions.get(node.text);
      if (helper && seen.size < MAX_MENTIONED) mention(helper);
    }
  };
  mention(body);
  return {
    ...rest,
    strength: found.toSorted((a, b) => b - a),
    open,
    attached,
    onlyStandIns:
      uses.size > 0 &&
      [...uses].every((name) => made.standIns.has(name)) &&
      !LOADS.test(body.text.slice(0, 20_000)) &&
      !LATER.test(root.text),
    uses,
    texts: [...texts],
    spelt,
    calls: calls || uses.size === 0,
  };
}

/** The last name of an assertion, e.g. `toBe`. */
const matcherOf = (node: Syntax): string => node.child('function')?.child('property')?.text ?? '';

/** What is loaded on the spot has no name. */
const LOADS = /\b(?:import|require|importActual|requireActual|import_module|render|request|fetch)\s{0,5}[(<]/;
const LATER = /(?<![\w.])import\s{0,5}\(|^[ \t]+[^\n]{0,200}\b(?:require|import_module|reload)\(/m;
/** Texts, numbers and the like, and what takes anything in their place. */
const VALUES = /^(?:number|integer|float|string|true|false|none|null|template_string)$/;
const ANYTHING =
  /^(?:expect(?:\.not)?\.(?:any|anything|objectContaining|arrayContaining|stringContaining|stringMatching)|(?:\w+\.)?ANY)$/;
const PARTLY = /\.toMatchObject$|(?:^|\.)partialDeepStrictEqual$|\.assertDictContainsSubset$/;
const MAX_SPELT = 5_000;

/** Counts what an assertion spells out. */
function spell({ node }: Assertion, spelt: { values: number; open: number }): void {
  let looked = 0;
  if (PARTLY.test(node.child('function')?.text.slice(-60) ?? '')) spelt.open++;
  for (const each of node.walk(({ type }) => !/string/.test(type))) {
    if (++looked > MAX_SPELT) return;
    if (VALUES.test(each.type)) spelt.values++;
    else if (
      /^(?:member_expression|attribute|identifier)$/.test(each.type) &&
      ANYTHING.test(each.text.slice(0, 60))
    )
      spelt.open++;
  }
}

const contains = (outer: Syntax, inner: Syntax): boolean =>
  FUNCTIONS.has(outer.type) && outer.start <= inner.start && inner.end <= outer.end;

/** Names that a case gives to values, and what stands in for the project's code in it. */
interface Made {
  readonly values: ReadonlyMap<string, string>;
  readonly standIns: ReadonlySet<string>;
  /** Names that keep the answer of a stand-in. */
  readonly answers: ReadonlySet<string>;
}

function valuesOf(body: Syntax, { standIns, root }: Reading): Made {
  const names = new Set(standIns.filter(({ node }) => isAround(body, node, root)).map(({ name }) => name));
  const values = new Map<string, string>();
  const answers = new Set<string>();
  for (const node of body.walk()) {
    if (node.type !== 'variable_declarator' && node.type !== 'assignment') continue;
    const name = node.child('name') ?? node.child('left');
    const value = node.child('value') ?? node.child('right');
    if (name?.type !== 'identifier' || !value) continue;
    values.set(name.text, plain(value.text));
    if (names.size > 0 && asksStandIn(value, names, answers)) answers.add(name.text);
  }
  return { values, standIns: names, answers };
}

/** What is said in a case holds in it; what is said in no function, or in one that prepares, holds in all. */
function isAround(body: Syntax, node: Syntax, root: Syntax): boolean {
  if (contains(body, node) || (body.start <= node.start && node.end <= body.end)) return true;
  for (const above of node.ancestors())
    if (above !== root && FUNCTIONS.has(above.type))
      return above.type === 'function_definition'
        ? /^set_?up|fixture/i.test(above.parent?.text.slice(0, 200) ?? '') ||
            /^set_?up/i.test(above.child('name')?.text ?? '')
        : /before/.test(above.parent?.parent?.child('function')?.text.slice(0, 40) ?? '');
  return true;
}

/** What an assertion is worth: on a stand-in nothing, and on the same call twice not much. */
function worth({ level, subjects }: Assertion, made: Made | null): Level {
  if (made === null || level === 0) return level;
  if (made.standIns.size > 0 && subjects.some((subject) => asksStandIn(subject, made.standIns, made.answers)))
    return 0;
  const [left, right] = subjects;
  if (level < 3 || !left || !right) return level;
  const [first, second] = [left, right].map(({ text }) => made.values.get(text) ?? plain(text));
  if (first === second && /\)$/.test(first ?? '')) return 1;
  return isOf(left, right, made) || isOf(right, left, made) ? 1 : level;
}

/** Whether an answer is compared with what was made of the very same answer. */
function isOf(answer: Syntax, other: Syntax, made: Made): boolean {
  const value = answer.type === 'identifier' ? made.values.get(answer.text) : undefined;
  if (value === undefined || !/\(/.test(value)) return false;
  const source = other.type === 'identifier' ? (made.values.get(other.text) ?? '') : plain(other.text);
  return new RegExp(
    `(?<![\\w$)\\]]\\.)(?<![\\w$'"\`])${answer.text.replace(/\$/g, '\\$')}(?![\\w$'"\`]|\\s*:)`,
  ).test(source);
}

const plain = (text: string): string => text.slice(0, 2_000).replace(/\s+/g, ' ');

const CALLS = new Set([
  'call',
  'call_expression',
  'new_expression',
  'decorator',
  'jsx_opening_element',
  'jsx_self_closing_element',
]);
/** What asks for a thing itself, and not for what it does. */
const ASKS =
  /^(?:(?:assert\w*|expect|t|chai)(?:\.\w+)*|typeof|callable|hasattr|isinstance|issubclass|len|self\.assert(?!Raises)\w+)$/;
const RUNS = /(?:throws|rejects|raises|doesNotThrow|notThrows|throwsAsync)$/;

/** Whether a name is called, or handed to something that may call it. */
function isCalled(name: Syntax): boolean {
  let at = name;
  while (
    /^(?:member_expression|attribute|subscript|subscript_expression|parenthesized_expression|as_expression|non_null_expression)$/.test(
      at.parent?.type ?? '',
    ) &&
    at.field !== 'index'
  )
    at = at.parent as Syntax;
  const parent = at.parent;
  if (parent === null) return false;
  if (CALLS.has(parent.type)) return true;
  if (parent.type === 'arguments' || parent.type === 'argument_list') {
    const callee = parent.parent?.child('function')?.text.slice(0, 100) ?? '';
    return RUNS.test(callee) || !ASKS.test(callee);
  }
  return (
    parent.type === 'argument' ||
    /^(?:spread_element|array|object|list|pair|variable_declarator|assignment|for_in_statement)$/.test(
      parent.type,
    )
  );
}
