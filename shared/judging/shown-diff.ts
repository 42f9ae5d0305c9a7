export interface ShownDiff {
  readonly text: string;
  /** Characters of the whole diff, as far as it was read, that are not in `text`. */
  readonly cut: number;
}

/** A diff as git prints it, file by file. */
export const filesOfDiff = (diff: string): string[] => diff.split(/^(?=diff --git )/m);

/** Gives every part its share of `limit` characters, so that none can push another out of sight; what short ones leave goes to the longer ones. */
export function share(parts: readonly string[], limit: number): ShownDiff {
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
  return { text: text.join(''), cut };
}
