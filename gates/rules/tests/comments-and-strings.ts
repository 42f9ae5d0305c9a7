/** Which comments and strings a language has: enough to tell code from text, not a parser. */
type Syntax = 'c' | 'hash';

const HASH_LANGUAGES = /\.(py|pyi|rb|sh|bash|ex|exs|pl|r|ya?ml|toml)$/;
const syntaxOf = (path: string): Syntax => (HASH_LANGUAGES.test(path) ? 'hash' : 'c');

/**
 * The code of a file with the contents of comments and strings blanked out, line breaks kept: so that an assertion that was
 * commented out no longer counts as one.
 */
export function blankCommentsAndStrings(path: string, text: string): string {
  const syntax = syntaxOf(path);
  let code = '';
  for (let at = 0; at < text.length; ) {
    const end = endOfText(text, at, syntax);
    if (end > at) {
      code += text.slice(at, end).replace(/[^\n]/g, ' ');
      at = end;
    } else {
      code += text[at];
      at++;
    }
  }
  return code;
}

/** The comments of a file, with the offsets at which they begin. */
export function extractComments(
  path: string,
  text: string,
): { readonly at: number; readonly text: string }[] {
  const syntax = syntaxOf(path);
  const found: { readonly at: number; readonly text: string }[] = [];
  for (let at = 0; at < text.length; ) {
    const end = endOfText(text, at, syntax);
    if (end > at && (syntax === 'hash' ? text[at] === '#' : text[at] === '/'))
      found.push({ at, text: text.slice(at, end) });
    at = Math.max(end, at + 1);
  }
  return found;
}

/** End of the comment or string that begins at `at`, or `at` when none does. */
function endOfText(text: string, at: number, syntax: Syntax): number {
  const character = text[at];
  if (syntax === 'hash') {
    if (character === '#') return endOfLine(text, at);
    for (const quotes of ['"""', "'''"])
      if (text.startsWith(quotes, at)) return after(text, quotes, at + quotes.length);
  } else {
    if (text.startsWith('//', at)) return endOfLine(text, at);
    if (text.startsWith('/*', at)) return after(text, '*/', at + 2);
    if (character === '`') return endOfString(text, at, true);
  }
  return character === '"' || character === "'" ? endOfString(text, at, false) : at;
}

const endOfLine = (text: string, at: number): number => {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
};

const after = (text: string, closing: string, from: number): number => {
  const end = text.indexOf(closing, from);
  return end < 0 ? text.length : end + closing.length;
};

function endOfString(text: string, at: number, multiline: boolean): number {
  const quote = text[at];
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++;
    else if (text[index] === quote) return index + 1;
    // A quote that is never closed, such as the one in a regular expression, ends with its line.
    else if (!multiline && text[index] === '\n') return index;
  }
  return text.length;
}

/** 1-based line of an offset; offsets must ascend. */
export function createLineCounter(text: string): (at: number) => number {
  let line = 1;
  let from = 0;
  return (at) => {
    for (let next = text.indexOf('\n', from); next >= 0 && next < at; next = text.indexOf('\n', from)) {
      line++;
      from = next + 1;
    }
    return line;
  };
}
