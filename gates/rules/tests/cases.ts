import { codeOnly } from './strip.ts';

/** One test case as it is written. */
export interface TestCase {
  readonly name: string;
  /** 1-based. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
  /** Its code, with comments and the contents of strings blanked out. */
  readonly code: string;
  /** Its text as it stands. */
  readonly text: string;
}

interface Span {
  readonly name: string;
  readonly start: number;
  readonly end: number;
}

const JAVASCRIPT = /(?<![.\w$])(?:x|f)?(?:it|test|specify)(?:\.\w+)*\s*\(|\bt\.test\s*\(/g;
const PYTHON = /^([ \t]*)(?:async[ \t]+)?def[ \t]+(test\w*)/gm;
const GO = /^func\s+((?:Test|Fuzz|Example)\w*)\s*\(/gm;
const RUST = /#\[\s*(?:\w+::)*(?:test|rstest)\b[^\]\n]{0,200}\]/g;

/** The test cases of a file, in JavaScript, TypeScript, Python, Go and Rust; none in other languages. */
export function casesOf(path: string, text: string): TestCase[] {
  const code = codeOnly(path, text);
  const spans = /\.[cm]?[jt]sx?$/.test(path)
    ? javascript(code, text)
    : /\.pyi?$/.test(path)
      ? python(code)
      : path.endsWith('.go')
        ? braced(code, GO)
        : path.endsWith('.rs')
          ? rust(code)
          : [];
  let line = 1;
  let at = 0;
  return spans.map(({ name, start, end }) => {
    line += text.slice(at, start).split('\n').length - 1;
    at = start;
    return { name, line, start, end, code: code.slice(start, end), text: text.slice(start, end) };
  });
}

const PAIRS: Readonly<Record<string, string>> = { '(': ')', '{': '}', '[': ']' };

/** End of the bracket that opens at `at`. */
export function closing(code: string, at: number): number {
  const open = code[at] ?? '';
  const close = PAIRS[open];
  let depth = 0;
  for (let index = at; index < code.length; index++) {
    if (code[index] === open) depth++;
    else if (code[index] === close && --depth === 0) return index + 1;
  }
  return code.length;
}

function javascript(code: string, text: string): Span[] {
  const spans: Span[] = [];
  for (const match of code.matchAll(JAVASCRIPT)) {
    const start = match.index;
    let open = start + match[0].length - 1;
    let end = closing(code, open);
    // `test.each(table)(name, body)`
    if (code[end] === '(') {
      open = end;
      end = closing(code, open);
    }
    const title = /^\(\s*(['"`])([^\n]{0,500}?)\1\s*[,)]/.exec(text.slice(open, open + 600));
    spans.push({ name: title?.[2] ?? '', start, end });
  }
  return spans;
}

function python(code: string): Span[] {
  return [...code.matchAll(PYTHON)].map((match) => {
    const indent = (match[1] ?? '').length;
    let start = match.index;
    for (
      let above = lineBefore(code, start);
      above.text.trimStart().startsWith('@');
      above = lineBefore(code, start)
    )
      start = above.start;
    return { name: match[2] ?? '', start, end: endOfBlock(code, match.index, indent) };
  });
}

const lineBefore = (code: string, at: number): { readonly start: number; readonly text: string } => {
  const start = at < 2 ? 0 : code.lastIndexOf('\n', at - 2) + 1;
  return { start, text: at === 0 ? '' : code.slice(start, at - 1) };
};

/** Where the block of a line ends: before the next line that is indented no further. */
export function endOfBlock(code: string, at: number, indent: number): number {
  for (let next = code.indexOf('\n', at); next >= 0; next = code.indexOf('\n', next + 1)) {
    const from = next + 1;
    const to = code.indexOf('\n', from);
    const text = code.slice(from, to < 0 ? code.length : to);
    const content = text.trimStart();
    if (content !== '' && !/^[)\]}]/.test(content) && text.length - content.length <= indent) return from;
  }
  return code.length;
}

const braced = (code: string, pattern: RegExp): Span[] =>
  [...code.matchAll(pattern)].map((match) => {
    const open = code.indexOf('{', match.index);
    return {
      name: match[1] ?? '',
      start: match.index,
      end: open < 0 ? code.length : closing(code, open),
    };
  });

const rust = (code: string): Span[] =>
  [...code.matchAll(RUST)].map((match) => {
    const open = code.indexOf('{', match.index);
    const head = code.slice(match.index, open < 0 ? code.length : open);
    return {
      name: /\bfn\s+(\w+)/.exec(head)?.[1] ?? '',
      start: match.index,
      end: open < 0 ? code.length : closing(code, open),
    };
  });
