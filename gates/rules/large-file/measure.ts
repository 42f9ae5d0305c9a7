import { blobSizes, streamBlobs } from '../../../workspace/git/blob-stream.ts';
import type { Change, Entry } from '../../../workspace/git/changes.ts';
import { isRegular } from '../../../workspace/git/list.ts';
import type { Seen } from '../../core/seen.ts';
import type { PatchView } from '../framework/rule.ts';
import { newlines, SNIFF_BYTES, sniff } from '../scan/content.ts';

interface Size {
  readonly bytes: number;
  /** Null for a binary, whose lines mean nothing. */
  readonly lines: number | null;
}

export interface Measured {
  readonly path: string;
  /** Null for a new file. */
  readonly before: Size | null;
  readonly after: Size;
}

/** Locks of dependencies: written by tools, read by tools. */
const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|mix\.lock|flake\.lock)$/;

const isFile = (entry: Entry | null): entry is Entry => entry !== null && isRegular(entry);

/** Sizes of the files that a patch adds or changes, and of their base versions. */
export async function measureChanges(
  { store, changes }: Pick<PatchView, 'store' | 'changes'>,
  deadline: number,
): Promise<{ readonly measured: readonly Measured[]; readonly timedOut: boolean }> {
  const files = changes.filter(({ path, head }) => isFile(head) && !LOCKS.test(path));
  const ids = [
    ...new Set(files.flatMap(({ base, head }) => [base, head].filter(isFile).map(({ id }) => id))),
  ];
  const sizes = await blobSizes(store, ids);
  const lines = new Map<string, number | null>();
  const inTime = await streamBlobs(
    store,
    ids,
    (id) => {
      const counter = new LineCounter();
      return { piece: (bytes) => counter.add(bytes), end: () => void lines.set(id, counter.lines) };
    },
    deadline,
  );
  const sizeOf = (entry: Entry): Size => ({
    bytes: sizes.get(entry.id) ?? 0,
    lines: lines.get(entry.id) ?? null,
  });
  const measured = files.flatMap(({ path, base, head }: Change): Measured[] =>
    isFile(head) && lines.has(head.id)
      ? [{ path, before: isFile(base) && lines.has(base.id) ? sizeOf(base) : null, after: sizeOf(head) }]
      : [],
  );
  return { measured, timedOut: !inTime };
}

/** Those that are over a limit; a text of few lines can be large all the same. */
export function largeSeen(
  measured: readonly Measured[],
  limits: { readonly lines: number; readonly bytes: number },
): Seen[] {
  const isLong = (size: Size | null): boolean => (size?.lines ?? 0) > limits.lines;
  const isBig = (size: Size | null): boolean => (size?.bytes ?? 0) > limits.bytes;
  return measured.flatMap(({ path, before, after }): Seen[] => {
    if (!isLong(after) && !isBig(after)) return [];
    const [unit, wasLarge] = isLong(after) ? (['lines', isLong] as const) : (['bytes', isBig] as const);
    const was = before?.[unit] ?? null;
    return [
      {
        file: path,
        line: null,
        rule: wasLarge(before) ? 'large_file_before' : 'large_file',
        message: `has ${after[unit]} ${unit}${was === null ? '' : `, had ${was}`}`,
        weight: 'reported',
      },
    ];
  });
}

/** Counts the lines of a text that comes in pieces. */
class LineCounter {
  #head = Buffer.alloc(0);
  #count = 0;
  #last = 0x0a;

  add(bytes: Buffer): void {
    if (bytes.length === 0) return;
    if (this.#head.length < SNIFF_BYTES)
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, SNIFF_BYTES)]);
    this.#count += newlines(bytes, 0, bytes.length);
    this.#last = bytes.at(-1) ?? 0x0a;
  }

  get lines(): number | null {
    if (sniff(this.#head.subarray(0, SNIFF_BYTES)).binary) return null;
    return this.#count + (this.#last === 0x0a ? 0 : 1);
  }
}
