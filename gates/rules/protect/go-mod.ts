import type { ProtectedConfigMerger } from './config-merger.ts';

/** One line of a go.mod or go.work, without its block. */
interface GoModDirective {
  readonly verb: string;
  /** What stands behind the verb. */
  readonly words: readonly string[];
}

/** Which Go is used, how it behaves, and which folders it overlooks. */
const STEERING = new Set(['toolchain', 'godebug', 'ignore']);

/**
 * The base says where the modules come from that it knows, and how Go behaves. A module that is new may come from anywhere.
 */
export const mergeGoMod: ProtectedConfigMerger = (base, head) => {
  const before = statements(base ?? '');
  const after = statements(head);
  if (before === null || after === null) return 'base';
  const known = new Set(before.filter(({ verb }) => verb === 'require').map(({ words }) => words[0]));
  // A go.work replaces for all of its modules, whatever they require.
  const isWorkspace = after.some(({ verb }) => verb === 'use');
  const steers = ({ verb, words }: GoModDirective): boolean =>
    STEERING.has(verb) || (verb === 'replace' && (isWorkspace || known.has(words[0])));
  const texts = (list: readonly GoModDirective[]): string[] => list.filter(steers).map(textOf).sort();
  const wanted = texts(before);
  if (wanted.join('\n') === texts(after).join('\n')) return null;
  return `${[...after.filter((each) => !steers(each)), ...before.filter(steers)].map(textOf).join('\n')}\n`;
};

const textOf = ({ verb, words }: GoModDirective): string => [verb, ...words].join(' ');

/** The statements of a file; null when it has something that no go.mod has. */
function statements(text: string): GoModDirective[] | null {
  const found: GoModDirective[] = [];
  let block: string | null = null;
  for (const line of text.split('\n')) {
    const comment = line.indexOf('//');
    // `// indirect` is the only comment that means something, and only to those who tidy up.
    const words = (comment < 0 ? line : line.slice(0, comment))
      .trim()
      .split(/\s+/)
      .filter((word) => word !== '');
    const [first] = words;
    if (first === undefined) continue;
    if (block !== null) {
      if (first === ')') block = null;
      else found.push({ verb: block, words });
    } else if (words.at(-1) === '(') {
      if (words.length !== 2) return null;
      block = first;
    } else if (!/^[a-z]+$/.test(first) || line.includes('/*')) return null;
    else found.push({ verb: first, words: words.slice(1) });
  }
  return block === null ? found : null;
}
