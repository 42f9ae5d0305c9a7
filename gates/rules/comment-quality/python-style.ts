import { type DocContent, firstSentence } from './documented.ts';

const HEADINGS: readonly (readonly [RegExp, 'parameters' | 'returns' | 'raises' | 'other'])[] = [
  [
    /^(?:args|arguments|parameters|params|(?:keyword|other|receives)\s+(?:args|arguments|parameters)|attributes)$/i,
    'parameters',
  ],
  [/^(?:returns?|yields?)$/i, 'returns'],
  [/^(?:raises?|except(?:ion)?s?)$/i, 'raises'],
  [/^(?:warns?|notes?|examples?|references|see also|todo|methods|warnings?|sends)$/i, 'other'],
];
const kindOf = (heading: string) => HEADINGS.find(([pattern]) => pattern.test(heading.trim()))?.[1] ?? null;

const REST =
  /^[ \t]*:(param|parameter|arg|argument|key|keyword|returns?|rtype|yields?|raises?|except|exception)\b([^:\n]*):/gm;
const EPYDOC = /^[ \t]*@(param|return|raise)s?\b([^:\n]*):/gm;

interface Section {
  readonly style: 'google' | 'numpy';
  readonly kind: ReturnType<typeof kindOf>;
  readonly entries: readonly string[];
}

/** What a docstring says, in the styles of Google, NumPy and reStructuredText, which may be mixed. */
export function pythonContent(doc: string): DocContent {
  const text = dedented(doc);
  const sections = sectionsOf(text.split('\n'));
  const fields = [...text.matchAll(REST), ...text.matchAll(EPYDOC)].map(([, key = '', rest = '']) => ({
    key,
    name: rest.trim().split(/\s+/).at(-1) ?? '',
  }));
  const of = (kind: Section['kind']): string[] =>
    sections.filter((section) => section.kind === kind).flatMap(({ entries }) => entries);
  const field = (pattern: RegExp): string[] =>
    fields.filter(({ key }) => pattern.test(key)).map(({ name }) => name);
  const styles = new Set(sections.map(({ style }): DocContent['styles'][number] => style));
  if (fields.length > 0) styles.add('rest');
  return {
    summary: firstSentence(text),
    parameters: [...of('parameters'), ...field(/^(?:param|arg|key)/)].map(bare),
    returns: sections.some(({ kind }) => kind === 'returns') || field(/^(?:return|rtype|yield)/).length > 0,
    raises: [...of('raises'), ...field(/^(?:raise|except)/)].map((name) => name.split('.').at(-1) ?? name),
    styles: [...styles],
    inherits: /\binherit|^\s*see\b.{0,80}$/i.test(text),
  };
}

const bare = (name: string): string => name.replace(/^\\?\*{1,2}|\\\*/g, '');

function dedented(doc: string): string {
  const [first = '', ...rest] = doc.replaceAll('\t', '    ').split('\n');
  const indents = rest.filter((line) => line.trim() !== '').map(indentOf);
  const least = indents.reduce((a, b) => Math.min(a, b), Number.MAX_SAFE_INTEGER);
  return [first.trim(), ...rest.map((line) => line.slice(least).trimEnd())].join('\n');
}

const indentOf = (line: string): number => line.length - line.trimStart().length;

function sectionsOf(lines: readonly string[]): Section[] {
  const sections: Section[] = [];
  for (const [at, line] of lines.entries()) {
    const google = /^\s*([A-Za-z ]{3,30}):\s*$/.exec(line)?.[1];
    const isNumpy = /^\s*-{3,}\s*$/.test(lines[at + 1] ?? '');
    const kind = google !== undefined ? kindOf(google) : isNumpy ? kindOf(line) : null;
    if (kind === null) continue;
    const style = google === undefined ? 'numpy' : 'google';
    const body = lines.slice(at + (style === 'numpy' ? 2 : 1));
    sections.push({
      style,
      kind,
      entries: style === 'numpy' ? numpyEntries(body) : googleEntries(body, indentOf(line)),
    });
  }
  return sections;
}

/** Entries are indented, the first one says how far; what is further in goes on with an entry. */
function googleEntries(lines: readonly string[], indent: number): string[] {
  const entries: string[] = [];
  let depth: number | null = null;
  for (const line of lines) {
    if (line.trim() === '') continue;
    const own = indentOf(line);
    if (own <= indent) break;
    depth ??= own;
    const entry =
      own === depth ? /^\s*(\\?\*{0,2}[\w.]+)\s*(?:\([^)]*\)|\[[^\]]*\])?\s*:/.exec(line)?.[1] : undefined;
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

/** Entries stand at the margin, with their types after a colon; the next underlined heading ends the section. */
function numpyEntries(lines: readonly string[]): string[] {
  const entries: string[] = [];
  const margin = indentOf(lines.find((line) => line.trim() !== '') ?? '');
  for (const [at, line] of lines.entries()) {
    if (/^\s*-{3,}\s*$/.test(lines[at + 1] ?? '')) break;
    if (line.trim() === '' || indentOf(line) > margin) continue;
    const names = /^\s*((?:\\?\*{0,2}[\w.]+)(?:\s*,\s*\\?\*{0,2}[\w.]+)*)\s*(?::|$)/.exec(line)?.[1];
    if (names !== undefined) entries.push(...names.split(',').map((name) => name.trim()));
  }
  return entries;
}
