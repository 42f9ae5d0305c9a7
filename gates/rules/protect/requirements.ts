import type { ProtectedConfigMerger } from './config-merger.ts';

/** Where packages are looked for. */
const OPTION =
  /^(?:-i|-f|--index-url|--extra-index-url|--find-links|--no-index|--trusted-host|--prefer-binary)\b/;
const NAME = /^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*(.*)$/s;
/** A package named at the end of an address, as in `git+https://…#egg=name`. */
const EGG = /[#&]egg=([\w.-]+)/;

interface RequirementLine {
  readonly text: string;
  readonly name: string | null;
  /** An address or a path in the place of a version. */
  readonly isFromElsewhere: boolean;
}

/**
 * The base says where the packages come from that it knows, and where packages are looked for. One that is new may come from anywhere,
 * and versions are the work.
 */
export const mergeRequirements: ProtectedConfigMerger = (base, head) => {
  if (base === null) return null;
  const [before, after] = [linesOf(base), linesOf(head)];
  const known = new Map(before.flatMap((line) => (line.name === null ? [] : [[line.name, line] as const])));
  const steers = ({ text }: RequirementLine): boolean => OPTION.test(text);
  const moved = (line: RequirementLine): boolean => {
    const was = line.name === null ? undefined : known.get(line.name);
    return was !== undefined && line.isFromElsewhere && line.text !== was.text;
  };
  const texts = (lines: readonly RequirementLine[]): string =>
    lines
      .filter(steers)
      .map(({ text }) => text)
      .join('\n');
  if (!after.some(moved) && texts(before) === texts(after)) return null;
  const lines = after
    .filter((line) => !steers(line))
    .map((line) => (moved(line) ? known.get(line.name ?? '') : line)?.text ?? '');
  return `${[...before.filter(steers).map(({ text }) => text), ...lines].join('\n')}\n`;
};

/** The lines of a file, with those that go on in the next one in one piece, and without comments. */
const linesOf = (text: string): RequirementLine[] =>
  text
    .replace(/\\\r?\n/g, ' ')
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/(?:^|\s)#.*$/, '')
        .trim()
        .replace(/\s+/g, ' '),
    )
    .filter((line) => line !== '')
    .map(lineOf);

function lineOf(text: string): RequirementLine {
  const address = text.replace(/^(?:-e|--editable)[ =]\s*/, '');
  const egg = EGG.exec(address)?.[1];
  if (egg !== undefined) return { text, name: plain(egg), isFromElsewhere: true };
  const [, name, rest = ''] = NAME.exec(text) ?? [];
  if (name === undefined || /^[:/]/.test(rest)) return { text, name: null, isFromElsewhere: true };
  return { text, name: plain(name), isFromElsewhere: rest.startsWith('@') };
}

/** Names of packages are the same in any case, and with any of these signs. */
const plain = (name: string): string => name.toLowerCase().replace(/[-_.]+/g, '-');
