import type { FileChange, GitTreeEntry } from '../../../workspace/git/file-changes.ts';
import { isRegularFile } from '../../../workspace/git/list-files.ts';
import { readBlobSizes, streamBlobs } from '../../../workspace/git/stream-blobs.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView } from '../framework/rule.ts';
import { CONTENT_SAMPLE_BYTES, countNewlines, detectContentType } from '../scan/content-sniffing.ts';

interface FileSize {
  readonly bytes: number;
  /** Null for a binary, whose lines mean nothing. */
  readonly lines: number | null;
}

export interface FileSizeChange {
  readonly path: string;
  /** Null for a new file. */
  readonly before: FileSize | null;
  readonly after: FileSize;
}

/** Locks of dependencies: written by tools, read by tools. */
const LOCKS =
  /(?:^|\/)(?:package-lock\.json|npm-shrinkwrap\.json|yarn\.lock|pnpm-lock\.yaml|bun\.lockb?|poetry\.lock|uv\.lock|Pipfile\.lock|Cargo\.lock|go\.sum|composer\.lock|Gemfile\.lock|mix\.lock|flake\.lock)$/;

const isFile = (entry: GitTreeEntry | null): entry is GitTreeEntry => entry !== null && isRegularFile(entry);

/** Sizes of the files that a patch adds or changes, and of their base versions. */
export async function measureChangedFileSizes(
  { store, changes }: Pick<PatchView, 'store' | 'changes'>,
  deadline: number,
): Promise<{ readonly measured: readonly FileSizeChange[]; readonly timedOut: boolean }> {
  const files = changes.filter(({ path, headEntry }) => isFile(headEntry) && !LOCKS.test(path));
  const ids = [
    ...new Set(
      files.flatMap(({ baseEntry, headEntry }) => [baseEntry, headEntry].filter(isFile).map(({ id }) => id)),
    ),
  ];
  const sizes = await readBlobSizes(store, ids);
  const lines = new Map<string, number | null>();
  const inTime = await streamBlobs(
    store,
    ids,
    (id) => {
      const counter = new LineCounter();
      return { write: (bytes) => counter.add(bytes), end: () => void lines.set(id, counter.lines) };
    },
    deadline,
  );
  const sizeOf = (entry: GitTreeEntry): FileSize => ({
    bytes: sizes.get(entry.id) ?? 0,
    lines: lines.get(entry.id) ?? null,
  });
  const measured = files.flatMap(({ path, baseEntry, headEntry }: FileChange): FileSizeChange[] =>
    isFile(headEntry) && lines.has(headEntry.id)
      ? [
          {
            path,
            before: isFile(baseEntry) && lines.has(baseEntry.id) ? sizeOf(baseEntry) : null,
            after: sizeOf(headEntry),
          },
        ]
      : [],
  );
  return { measured, timedOut: !inTime };
}

/** Those that are over a limit; a text of few lines can be large all the same. */
export function findLargeFiles(
  measured: readonly FileSizeChange[],
  limits: { readonly lines: number; readonly bytes: number },
): GateFinding[] {
  const isLong = (size: FileSize | null): boolean => (size?.lines ?? 0) > limits.lines;
  const isBig = (size: FileSize | null): boolean => (size?.bytes ?? 0) > limits.bytes;
  return measured.flatMap(({ path, before, after }): GateFinding[] => {
    if (!isLong(after) && !isBig(after)) return [];
    const [unit, wasLarge] = isLong(after) ? (['lines', isLong] as const) : (['bytes', isBig] as const);
    const was = before?.[unit] ?? null;
    return [
      {
        file: path,
        line: null,
        rule: wasLarge(before) ? 'large_file_before' : 'large_file',
        message: `has ${after[unit]} ${unit}${was === null ? '' : `, had ${was}`}`,
        severity: 'info',
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
    if (this.#head.length < CONTENT_SAMPLE_BYTES)
      this.#head = Buffer.concat([this.#head, bytes.subarray(0, CONTENT_SAMPLE_BYTES)]);
    this.#count += countNewlines(bytes, 0, bytes.length);
    this.#last = bytes.at(-1) ?? 0x0a;
  }

  get lines(): number | null {
    if (detectContentType(this.#head.subarray(0, CONTENT_SAMPLE_BYTES)).isBinary) return null;
    return this.#count + (this.#last === 0x0a ? 0 : 1);
  }
}
