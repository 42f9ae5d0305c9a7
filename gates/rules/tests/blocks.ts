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
