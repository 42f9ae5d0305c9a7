const LIST = '(\\w{1,200}(?:[ \\t]{0,5},[ \\t]{0,5}\\w{1,200}){0,50})';
const SINGLE = new RegExp(`^(?:func|type|var|const)[ \\t]{1,10}(?:\\([^)\\n]{0,200}\\)[ \\t]{0,10})?${LIST}`);
const GROUP = /^(?:type|var|const)[ \t]{0,10}\([ \t]{0,10}$/;
/** What stands further in is a field of what is declared. */
const MEMBER = new RegExp(`^(?:\\t| {2,4})${LIST}`);

/** Names that a file of Go declares outside of functions, methods among them. `code` is without comments and strings. */
export function goDeclared(code: string): Set<string> {
  const names = new Set<string>();
  let inGroup = false;
  for (const line of code.split('\n')) {
    if (GROUP.test(line)) inGroup = true;
    else if (line.startsWith(')')) inGroup = false;
    const list = (inGroup ? MEMBER : SINGLE).exec(line)?.[1];
    for (const name of list?.match(/\w+/g) ?? []) names.add(name);
  }
  return names;
}
