/** Names of systems that tests are not run on here. */
const OTHERS = `["'](?:win32|windows|nt|darwin|macos|cygwin|freebsd|openbsd|sunos|aix)["']`;
const NODE = String.raw`(?:process\.platform|(?:os\.)?platform\(\))\s{0,5}===?\s{0,5}${OTHERS}`;
const PYTHON = String.raw`(?:sys\.platform\s{0,5}==\s{0,5}${OTHERS}|sys\.platform\.startswith\(\s{0,5}["'](?:win|darwin)["']\s{0,5}\)|os\.name\s{0,5}==\s{0,5}${OTHERS}|platform\.system\(\)\s{0,5}==\s{0,5}${OTHERS})`;

const IN_NODE = new RegExp(
  String.raw`^(?:skip\s{0,5}:|(?:it|test|describe|suite)(?:\.\w{1,20}){0,3}?\.skipIf\()\s{0,20}(?:${NODE}|(\w{1,60}))\s{0,20}(?:[,})]|&&\s{0,20}['"]|\?\s{0,20}(?:'[^'\n]{0,200}'|"[^"\n]{0,200}")\s{0,20}:\s{0,20}(?:false|undefined)\b)`,
  'i',
);
const IN_PYTHON = new RegExp(
  String.raw`^@(?:\w{1,40}\.){0,4}skipif\(\s{0,20}(?:${PYTHON}|(\w{1,60}))\s{0,20}[,)]`,
  'i',
);

/** Whether what leaves a test out at `at` does so on another system only: here the test is run as before. */
export function isElsewhere(path: string, text: string, at: number): boolean {
  const python = path.endsWith('.py');
  const match = (python ? IN_PYTHON : IN_NODE).exec(text.slice(at, at + 400));
  if (match === null) return false;
  const [, name] = match;
  return name === undefined || isSystem(name, text, python ? PYTHON : NODE);
}

/** Whether a name stands for such a question, and for nothing else. */
function isSystem(name: string, text: string, question: string): boolean {
  const given = [...text.matchAll(new RegExp(String.raw`\b${name}\s{0,5}=(?![=>])\s{0,5}(.{0,200})`, 'g'))];
  return given.length === 1 && new RegExp(`^${question}\\s{0,5};?$`, 'i').test(given[0]?.[1] ?? '');
}
