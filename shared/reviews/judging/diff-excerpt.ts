export interface DiffExcerpt {
  readonly text: string;
  /** Characters of the whole diff, as far as it was read, that are not in `text`. */
  readonly omitted_chars: number;
}

/** A diff as git prints it, file by file. */
export const splitDiffByFile = (diff: string): string[] => diff.split(/^(?=diff --git )/m);

/** Gives every part its share of `limit` characters, so that none can push another out of sight; what short ones leave goes to the longer ones. */
export function excerptDiffsEvenly(parts: readonly string[], limit: number): DiffExcerpt {
  let left = limit;
  let waiting = parts.length;
  const shares = new Map<number, number>();
  for (const index of [...parts.keys()].sort((a, b) => (parts[a]?.length ?? 0) - (parts[b]?.length ?? 0))) {
    const part = Math.min(parts[index]?.length ?? 0, Math.floor(left / waiting));
    shares.set(index, part);
    left -= part;
    waiting--;
  }
  let cut = 0;
  const text = parts.map((part, index) => {
    const kept = shares.get(index) ?? 0;
    if (kept === part.length) return part;
    cut += part.length - kept;
    return `${part.slice(0, kept)}\n[${part.length - kept} characters of this file are not shown]\n`;
  });
  return { text: text.join(''), omitted_chars: cut };
}

/** Names of files that are told when they are left out; the rest is a number. */
const NAMED = 50;

const nameOf = (part: string): string =>
  /^diff --git .*? b\/(.*)$/m.exec(part)?.[1] ?? 'what stands before the first file';

/**
 * Whole files of at most `limit` characters in all, the short ones first so that as many as possible are whole, in the order of the
 * diff; and which are left out. Where none fits, each has its share.
 */
export function excerptDiffByWholeFiles(
  parts: readonly string[],
  limit: number,
): DiffExcerpt & { readonly leftOut: readonly string[] } {
  const kept = new Set<number>();
  let left = limit;
  for (const index of [...parts.keys()].sort((a, b) => (parts[a]?.length ?? 0) - (parts[b]?.length ?? 0))) {
    const { length } = parts[index] ?? '';
    if (length > left) break;
    kept.add(index);
    left -= length;
  }
  if (kept.size === 0 && parts.length > 0) return { ...excerptDiffsEvenly(parts, limit), leftOut: [] };
  const out = parts.filter((_, index) => !kept.has(index));
  const leftOut = out.map(nameOf);
  const more = leftOut.length > NAMED ? ` and ${leftOut.length - NAMED} more` : '';
  const told =
    out.length === 0
      ? ''
      : `\n[left out, because there is no room: ${leftOut.slice(0, NAMED).join(', ')}${more}]\n`;
  return {
    text: `${parts.filter((_, index) => kept.has(index)).join('')}${told}`,
    omitted_chars: out.reduce((sum, part) => sum + part.length, 0),
    leftOut,
  };
}
