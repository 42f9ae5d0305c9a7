import { lineCounter } from '../tests/line-counter.ts';
import type { Comment } from './lex.ts';
import { countOf, type NativeCase, valuesOf } from './model.ts';

const ITEM =
  /\b(?:fn|struct|enum|trait|mod|macro_rules!|type|const|static|union|impl)\s{1,10}([\w<>': ]{1,120})/;
const FENCE = /^\s{0,8}(`{3,}|~{3,})\s{0,8}(.{0,200})$/;
/** What makes a block something else than Rust that is run. */
const NOT_RUN =
  /\b(?:ignore\S*|no_run|compile_fail|should_panic|text|txt|plain|sh|bash|shell|console|toml|json|yaml|html|js|c|cpp|python|console|none|mermaid)\b/;
const OFF = /\b(?:ignore\S*|no_run|compile_fail|should_panic)\b/;
const ASSERTIONS = /\bassert\w{0,40}!|\bpanic!|\.unwrap\(\)|\?;/g;
const EXACT = /\bassert_(?:eq|ne|matches)!/g;

/** The examples of the manual, which are tests: blocks of code in the comments before an item. */
export function docTests(text: string, comments: readonly Comment[], code: string): NativeCase[] {
  const lineOf = lineCounter(text);
  const cases: NativeCase[] = [];
  const counts = new Map<string, number>();
  let open: { readonly mark: string; readonly info: string; readonly at: number; lines: string[] } | null =
    null;
  for (const { at, text: comment } of comments) {
    const line = /^\/\/(?:\/(?!\/)|!) ?(.*)$/s.exec(comment)?.[1];
    if (line === undefined) {
      open = null;
      continue;
    }
    const fence = FENCE.exec(line);
    if (open === null) {
      if (fence) open = { mark: fence[1] ?? '', info: fence[2] ?? '', at, lines: [] };
      continue;
    }
    if (!fence || !(fence[1] ?? '').startsWith(open.mark)) {
      open.lines.push(line);
      continue;
    }
    const { info, lines, at: start } = open;
    open = null;
    const isCode = !NOT_RUN.test(info) || OFF.test(info);
    if (!isCode) continue;
    const item = comment.startsWith('//!')
      ? 'the file'
      : (ITEM.exec(code.slice(at, at + 2_000))?.[1] ?? '').trim();
    const count = (counts.get(item) ?? 0) + 1;
    counts.set(item, count);
    const body = lines.join('\n');
    cases.push({
      name: `example ${count} of ${item}`,
      line: lineOf(start),
      text: `${item}\n${body}`,
      body: body.replace(/\s+/g, ' '),
      assertions: countOf(body, ASSERTIONS),
      exact: countOf(body, EXACT),
      values: valuesOf(body),
      skipped: OFF.test(info) ? `it is marked ${OFF.exec(info)?.[0] ?? ''}` : null,
    });
  }
  return cases;
}
