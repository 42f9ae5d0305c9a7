/** One statement of a Python file, however many lines it goes over. */
export interface PythonStatement {
  /** 1-based. */
  readonly line: number;
  /** Columns of white space before it; those after a `;` count as its first. */
  readonly indent: number;
  /** Its text on one line, without comments; each string is `"#n"`, with its place in `strings`. */
  readonly code: string;
  readonly strings: readonly string[];
}

const STRING = /^([A-Za-z]{0,2})("""|'''|"|')/;
const TAB = 8;

/** Takes a Python file apart into statements. It does not need to be correct Python; what is odd ends up as a statement. */
export function splitPythonStatements(source: string): PythonStatement[] {
  const statements: PythonStatement[] = [];
  let code = '';
  let strings: string[] = [];
  let line = 1;
  let began = 1;
  let indent = 0;
  let depth = 0;
  /** The character before, when it can be part of a name: a quote behind it begins no prefixed string. */
  let inName = false;
  const end = (): void => {
    if (code.trim() !== '') statements.push({ line: began, indent, code: code.trim(), strings });
    code = '';
    strings = [];
  };
  for (let at = 0; at < source.length; ) {
    if (code === '' && depth === 0 && (at === 0 || source[at - 1] === '\n')) {
      const white = /^[ \t\f]*/.exec(source.slice(at, at + 400))?.[0] ?? '';
      indent = widthOf(white);
      at += white.length;
      if (at >= source.length) break;
    }
    const character = source[at] as string;
    const string: RegExpExecArray | null =
      /["'A-Za-z]/.test(character) && !(inName && /\w/.test(character))
        ? STRING.exec(source.slice(at, at + 5))
        : null;
    if (code === '') began = line;
    inName = string === null && /\w/.test(character);
    if (string) {
      const [opening = '', , quotes = '"'] = string;
      const close = endOfString(source, at + opening.length, quotes);
      const text = source.slice(at + opening.length, close);
      code += `"#${strings.push(text) - 1}"`;
      line += text.split('\n').length - 1;
      at = close + (source.startsWith(quotes, close) ? quotes.length : 0);
    } else if (character === '#') {
      const next = source.indexOf('\n', at);
      at = next < 0 ? source.length : next;
    } else if (character === '\\' && /^\\\r?\n/.test(source.slice(at, at + 3))) {
      at = source.indexOf('\n', at) + 1;
      line++;
      code += ' ';
    } else if (character === '\n') {
      if (depth > 0) code += ' ';
      else end();
      line++;
      at++;
    } else if (character === ';' && depth === 0) {
      end();
      at++;
    } else {
      if ('([{'.includes(character)) depth++;
      if (')]}'.includes(character)) depth = Math.max(0, depth - 1);
      code += character;
      at++;
    }
  }
  end();
  return statements;
}

function widthOf(white: string): number {
  let width = 0;
  for (const character of white) width = character === '\t' ? (Math.floor(width / TAB) + 1) * TAB : width + 1;
  return width;
}

/** Where the closing quotes are. A string in single quotes ends with its line at the latest. */
function endOfString(source: string, from: number, quotes: string): number {
  for (let at = from; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source.startsWith(quotes, at)) return at;
    else if (quotes.length === 1 && source[at] === '\n') return at;
  }
  return source.length;
}
