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
}

/** Any error, of which nothing but that all is well becomes. */
const ARM =
  /\bErr\s{0,5}\(\s{0,5}_\w{0,40}\s{0,5}\)\s{0,5}=>\s{0,80}(?:\{\s{0,80}\}|\(\s{0,5}\)|\{?\s{0,80}(?:return\s{1,5})?(?:Ok\s{0,5}\(|true\b))/g;
/** Questions to which an error is an answer. */
const QUESTION =
  /\b(?:env::var\w{0,3}|parse|from_str|\w{0,40}send|(?:try_)?recv\w{0,20}|try_\w{1,40}|binary_search\w{0,20}|metadata|duration_since|strip_prefix|downcast)\b/;
const CALL = /((?:\w{1,60}::){0,6}\w{1,60}|\.\s{0,5}\w{1,60})(?:::<[^>\n]{0,100}>)?\s{0,5}\(/g;
/** What is always a failure when it fails, and where nobody asks. */
const SERIOUS = /(?:^|::)(?:catch_unwind|fs::(?:write|copy|rename|create_dir(?:_all)?))$/;
/** Farthest that an arm stands from its `match`. */
const MAX_MATCH = 600;
/** What has one kind of failure only, or is an option. */
const ONE_KIND =
  /(?:^|[.:])\s{0,5}(?:parse|from_str|try_from|try_into|var\w{0,3}|get\w{0,20}|first\w{0,20}|last\w{0,20}|next\w{0,20}|nth|pop\w{0,20}|find\w{0,20}|\w{0,20}position|strip_\w{1,20}|checked_\w{1,20}|as_\w{1,30}|peek|min\w{0,20}|max\w{0,20}|r?split_\w{1,20}|ok|err)$/;
/** What is tried once more at the end, and may well fail. */
const CLEANS =
  /(?:^|[.:])\s{0,5}(?:remove\w{0,20}|flush|close|shutdown|kill|join|unlock|send|writeln|write_fmt)$/;
const TESTS =
  /#\[\s{0,5}cfg\s{0,5}\(\s{0,5}test\s{0,5}\)\s{0,5}\]\s{0,80}(?:pub\s{1,5})?mod\s{1,5}\w{1,60}\s{0,5}\{/g;

/** Errors that a patch throws away in Rust, outside of its tests. */
export function swallowedInRust(texts: readonly ChangedText[]): Seen[] {
  const known = new ThereBefore();
  const looked = texts.flatMap(({ path, from, before, after }) => {
    const then = from?.endsWith('.rs') && !isTestPath(from) ? read(before) : null;
    for (const { key } of then?.places ?? []) known.add(key);
    const now = path.endsWith('.rs') && !isTestPath(path) ? read(after) : null;
    return now === null || after === null ? [] : [{ path, after, then, now }];
  });
  return looked.flatMap(({ path, after, then, now }) => {
    const lineOf = lineCounter(after);
    return [...now.places, ...(then === null ? [] : droppedSince(then.calls, now.calls))]
      .toSorted((a, b) => a.at - b.at)
      .flatMap(({ at, key, message }): Seen[] => {
        return known.take(key)
          ? []
          : [{ file: path, line: lineOf(at), rule: 'error_swallowed', message, weight: 'unclear' }];
      });
  });
}

/** How often the error of a call is handed on, and where it is dropped. */
interface Kept {
  kept: number;
  readonly dropped: number[];
}
interface Read {
  readonly places: readonly Swallowed[];
  readonly calls: ReadonlyMap<string, Kept>;
}

function read(text: string | null): Read | null {
  if (text === null || text.length > MAX_CHARACTERS) return null;
  const { code } = lex('rust', text);
  const brackets = new Brackets(code);
  try {
    return places(code, brackets);
  } catch (error) {
    if (error instanceof TooTangled) return null;
    throw error;
  }
}

function places(code: string, brackets: Brackets): Read {
  const tests = [...code.matchAll(TESTS)].map(({ index, 0: head }) => ({
    start: index,
    end: brackets.closing(index + head.length - 1),
  }));
  const isTest = (at: number): boolean => tests.some(({ start, end }) => start <= at && at < end);
  const found: Swallowed[] = [];
  for (const { index, 0: text } of code.matchAll(ARM)) {
    const before = code.slice(Math.max(0, index - MAX_MATCH), index);
    const opened = before.lastIndexOf('match');
    const asked = before.slice(opened);
    if (isTest(index) || opened < 0 || QUESTION.test(asked.slice(0, asked.indexOf('{') + 1))) continue;
    found.push({
      at: index,
      key: `${asked.slice(0, 200)} ${text}`.replace(/\s+/g, ' '),
      message: 'every error is caught here and thrown away',
    });
  }
  const calls = new Map<string, Kept>();
  for (const { index, 0: text, 1: callee = '' } of code.matchAll(CALL)) {
    if (isTest(index)) continue;
    const end = brackets.closing(index + text.length - 1);
    const rest = code.slice(end, end + 60);
    const isDropped =
      /^\s*\.\s*(?:ok\s*\(\s*\)\s*;|unwrap_or(?:_default\s*\(|\s*\(|_else\s*\(\s*\|\s*_))/.test(rest) ||
      (/\blet\s{1,5}_\s{0,5}=\s{0,5}$/.test(code.slice(Math.max(0, index - 40), index)) &&
        /^\s*;/.test(rest));
    const call = calls.get(callee) ?? { kept: 0, dropped: [] };
    if (isDropped) call.dropped.push(index);
    else if (/^\s*\?/.test(rest)) call.kept++;
    calls.set(callee, call);
    if (isDropped && SERIOUS.test(callee))
      found.push({ at: index, key: `dropped ${callee}`, message: `a failure of ${callee} is thrown away` });
  }
  return { places: found, calls };
}

/** Calls whose error was handed on before, and is dropped now. */
function droppedSince(then: Read['calls'], now: Read['calls']): Swallowed[] {
  return [...now].flatMap(([callee, { kept, dropped }]): Swallowed[] => {
    const was = then.get(callee);
    const more = dropped.length - (was?.dropped.length ?? 0);
    if (!was || kept >= was.kept || more <= 0) return [];
    if ([CLEANS, SERIOUS, ONE_KIND].some((names) => names.test(callee))) return [];
    return dropped.slice(0, Math.min(more, was.kept - kept)).map((at) => ({
      at,
      key: `since ${callee}`,
      message: `the error of ${callee.replace(/^\.\s*/, '')}, which was handed on before, is thrown away`,
    }));
  });
}
