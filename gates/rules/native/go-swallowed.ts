import type { Seen } from '../../code/seen.ts';
import { ThereBefore } from '../../code/there-before.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { lineCounter } from '../tests/line-counter.ts';
import { Brackets, TooTangled } from './brackets.ts';
import { lex } from './lex.ts';
import { MAX_CHARACTERS } from './limits.ts';

/** An error that is thrown away, at an offset of a file. */
interface Swallowed {
  readonly at: number;
  /** The same before and after is the same, wherever it stands. */
  readonly key: string;
  readonly message: string;
  readonly weight: 'unclear' | 'reported';
}

/** A condition that asks for an error and nothing else. */
const ASKED = /\bif\b(?:[^\n{]{0,300};)?[ \t]{1,10}(\w{0,40}[eE]rr\w{0,40})\s{0,5}!=\s{0,5}nil\s{0,5}\{/g;
/** Nothing at all, up to an error that says that there was none. */
const NOTHING = /^\s*return\s+((?:nil|false|0|""|``)(?:\s*,\s*(?:nil|false|0|""|``))*)\s*;?\s*$/;
const RECOVERED =
  /(?:_\s{0,5}=\s{0,5}|[{;]\s{0,100}|^[ \t]{0,40}(?:defer[ \t]{1,5})?)recover\(\)[ \t]{0,5}(?=[;}\n])|\bif\s{1,5}(?:\w{1,40}\s{0,5}:=\s{0,5}recover\(\)\s{0,5};\s{0,5}\w{1,40}|recover\(\))\s{0,5}!=\s{0,5}nil\s{0,5}\{\s{0,400}(?:return\s{0,400})?\}/gm;
/** Questions to which a failure is an answer. */
const QUESTION = /\b(?:\w{0,40}\.)?L?[sS]tat\(|\bexec\.LookPath\(|\bfilepath\.(?:Rel|Abs)\(|\bstrconv\.\w/;
/** What is tried once more at the end, and may well fail. */
const CLEANS = /\.(?:Close|Remove|RemoveAll|Flush|Rollback|Stop|Shutdown|Kill|Unlock)\(/;
/** Packages in which every call may fail. */
const FAILING =
  /^(?:json|xml|yaml|toml|gob|binary|csv|os|io|ioutil|http|sql|strconv|exec|filepath|time)\.[A-Z]\w{0,80}$/;
const CALLS =
  /(?:^|[;{])[ \t]{0,80}(?:if[ \t]{1,5})?(?:([\w.]{1,80}(?:[ \t]{0,5},[ \t]{0,5}[\w.]{1,80}){0,8})[ \t]{0,5}:?=[ \t]{0,5})?(\w{1,80}(?:\.\w{1,80}){0,4})\(/gm;

/** Errors that a patch throws away in Go, outside of its tests. */
export function swallowedInGo(texts: readonly ChangedText[]): Seen[] {
  const known = new ThereBefore();
  const looked = texts.flatMap(({ path, from, before, after }) => {
    const then = from?.endsWith('.go') && !isTestPath(from) ? codeOf(before) : null;
    for (const { key } of then === null ? [] : placesIn(then)) known.add(key);
    const now = path.endsWith('.go') && !isTestPath(path) ? codeOf(after) : null;
    return now === null || after === null ? [] : [{ path, after, then, now }];
  });
  return looked.flatMap(({ path, after, then, now }) => {
    const lineOf = lineCounter(after);
    const places = [...placesIn(now), ...(then === null ? [] : droppedSince(then, now))];
    return places
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ at, key, message, weight }): Seen[] => {
        const line = lineOf(at);
        return known.take(key) ? [] : [{ file: path, line, rule: 'error_swallowed', message, weight }];
      });
  });
}

const codeOf = (text: string | null): string | null =>
  text !== null && text.length <= MAX_CHARACTERS ? lex('go', text).code : null;

function placesIn(code: string): Swallowed[] {
  const found: Swallowed[] = [];
  const brackets = new Brackets(code);
  try {
    const functions = functionsIn(code, brackets);
    const within: GoFunction[] = [];
    let next = 0;
    for (const match of code.matchAll(ASKED)) {
      for (let fn = functions[next]; fn && fn.open < match.index; fn = functions[++next]) within.push(fn);
      while ((within.at(-1)?.end ?? match.index) < match.index) within.pop();
      const open = match.index + match[0].length - 1;
      const end = brackets.closing(open);
      if (end - open > 400) continue;
      const body = code.slice(open + 1, end - 1);
      const values = NOTHING.exec(body)?.[1]?.split(/\s*,\s*/);
      const around = within.at(-1);
      const isGiven = values?.at(-1) === 'nil' && around?.fails === true;
      if (body.trim() !== '' && !isGiven) continue;
      const before = code.slice(code.lastIndexOf('\n', code.lastIndexOf('\n', match.index) - 1) + 1, open);
      const isHarmless =
        QUESTION.test(before) ||
        CLEANS.test(before) ||
        // "No" is an answer, and whoever walks over files may pass some over.
        values?.[0] === 'false' ||
        (around?.takes.includes(match[1] ?? '') ?? false);
      found.push({
        at: match.index,
        key: `${around?.name ?? ''} ${match[0]} ${body}`.replace(/\s+/g, ' '),
        message: 'an error is caught here and thrown away',
        weight: isHarmless ? 'reported' : 'unclear',
      });
    }
  } catch (error) {
    if (!(error instanceof TooTangled)) throw error;
  }
  for (const { index, 0: text } of code.matchAll(RECOVERED))
    found.push({
      at: index + text.length - text.trimStart().length,
      key: 'recover',
      message: 'every panic is caught here and thrown away',
      weight: 'unclear',
    });
  return found;
}

interface GoFunction {
  readonly name: string;
  readonly open: number;
  readonly end: number;
  /** Whether the last that it answers with is an error. */
  readonly fails: boolean;
  /** Names of errors that it is handed. */
  readonly takes: readonly string[];
}

/** Functions and literals of functions, outer ones before those in them. */
function functionsIn(code: string, brackets: Brackets): GoFunction[] {
  return [...code.matchAll(/\bfunc\b/g)].flatMap(({ index }) => {
    let open = code.indexOf('{', index);
    while (open >= 0 && /\b(?:interface|struct)\s{0,5}$/.test(code.slice(Math.max(0, open - 20), open)))
      open = code.indexOf('{', brackets.closing(open));
    if (open < 0 || open - index > 2_000) return [];
    const head = brackets.slice(index, open);
    return [
      {
        name: /^func\s{1,10}(?:\([^)]{0,200}\)\s{0,10})?(\w{1,200})/.exec(head)?.[1] ?? '',
        open,
        end: brackets.closing(open),
        fails: /\berror\s*\)?\s*$/.test(head),
        takes: [...head.matchAll(/\b(\w{0,40}[eE]rr\w{0,40})\s{1,5}error\b(?!\s*\)?\s*$)/g)].map(
          ([, name = '']) => name,
        ),
      },
    ];
  });
}

/** How often a call's error is kept, and where it is dropped. */
interface Kept {
  kept: number;
  readonly dropped: number[];
}

function callsIn(code: string): Map<string, Kept> {
  const calls = new Map<string, Kept>();
  for (const { index, 0: text, 1: left, 2: callee = '' } of code.matchAll(CALLS)) {
    const last = left?.split(',').at(-1)?.trim();
    // Who calls without looking at an answer may call what has none.
    if (last === undefined && !FAILING.test(callee)) continue;
    const call = calls.get(callee) ?? { kept: 0, dropped: [] };
    if (last === undefined || last === '_') call.dropped.push(index + text.length);
    else if (/err/i.test(last)) call.kept++;
    calls.set(callee, call);
  }
  return calls;
}

/** Calls whose error was looked at before, and is dropped now. */
function droppedSince(before: string, after: string): Swallowed[] {
  const then = callsIn(before);
  return [...callsIn(after)].flatMap(([callee, now]): Swallowed[] => {
    const was = then.get(callee);
    const more = now.dropped.length - (was?.dropped.length ?? 0);
    if (!was || now.kept >= was.kept || more <= 0 || CLEANS.test(`${callee}(`)) return [];
    return now.dropped.slice(0, Math.min(more, was.kept - now.kept)).map((at) => ({
      at,
      key: `dropped ${callee}`,
      message: `the error of ${callee}, which was looked at before, is thrown away`,
      weight: 'unclear',
    }));
  });
}
