/** One line of a patch; numbers are those of the file before and after, null where the line is not in it. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed' | 'hunk' | 'note';
  readonly before: number | null;
  readonly after: number | null;
  readonly text: string;
}

export interface DiffFile {
  readonly path: string;
  /** Another path that it had before. */
  readonly previousPath: string | null;
  readonly change: 'changed' | 'added' | 'deleted' | 'renamed' | 'binary';
  readonly lines: readonly DiffLine[];
  readonly added: number;
  readonly removed: number;
}

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/;

/** Git puts a path with odd characters in quotes, bytes beyond ASCII in octal. */
function unquoted(path: string): string {
  if (!path.startsWith('"')) return path;
  const bytes: number[] = [];
  const body = path.replace(/^"|"$/g, '');
  const named: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, '"': 34, '\\': 92 };
  for (let at = 0; at < body.length; at++) {
    const octal = /^\\([0-7]{3})/.exec(body.slice(at, at + 4))?.[1];
    if (octal !== undefined) {
      bytes.push(Number.parseInt(octal, 8));
      at += 3;
    } else if (body[at] === '\\') {
      at += 1;
      bytes.push(named[body[at] ?? ''] ?? (body.codePointAt(at) ?? 0) & 0xff);
    } else bytes.push(...new TextEncoder().encode(body[at] ?? ''));
  }
  return new TextDecoder().decode(new Uint8Array(bytes));
}
/** `a/x` and `b/x` are x; `/dev/null` is none. */
const pathIn = (side: string): string | null => {
  const path = unquoted(side.replace(/\t.*$/, ''));
  return path === '/dev/null' ? null : path.replace(/^[ab]\//, '');
};

interface MutableDiffFile {
  path: string;
  previousPath: string | null;
  change: DiffFile['change'];
  readonly lines: DiffLine[];
  added: number;
  removed: number;
}

/** The file that a line `diff --git …` begins: both paths are the same there, or are named again below. */
function startDiffFile(line: string): MutableDiffFile {
  const rest = line.slice('diff --git '.length);
  const quoted = /^"(?:[^"\\]|\\.)*"/.exec(rest)?.[0];
  const first = quoted ?? rest.slice(0, (rest.length - 1) / 2);
  return {
    path: pathIn(first) ?? rest,
    previousPath: null,
    change: 'changed',
    lines: [],
    added: 0,
    removed: 0,
  };
}

/** What the lines between `diff --git` and the first hunk say of a file. */
function readDiffHeader(file: MutableDiffFile, line: string): void {
  if (line.startsWith('new file mode')) file.change = 'added';
  else if (line.startsWith('deleted file mode')) file.change = 'deleted';
  else if (line.startsWith('rename from ')) {
    file.change = 'renamed';
    file.previousPath = unquoted(line.slice(12));
  } else if (line.startsWith('rename to ')) file.path = unquoted(line.slice(10));
  else if (line.startsWith('+++ ')) file.path = pathIn(line.slice(4)) ?? file.path;
  else if (line.startsWith('GIT binary patch') || line.startsWith('Binary files ')) {
    file.change = 'binary';
    file.lines.push({ kind: 'note', before: null, after: null, text: 'Not text.' });
  }
}

/** Reads `git diff`. Whatever it does not know it leaves out: the patch can be read as it is beside it. */
export function parseDiff(patch: string): DiffFile[] {
  const files: MutableDiffFile[] = [];
  let before = 0;
  let after = 0;
  // How many lines of the hunk are still to come, by side: what looks like a header inside of one is a line.
  let left = { before: 0, after: 0 };
  for (const line of patch.split('\n')) {
    const file = files.at(-1);
    const inHunk = left.before > 0 || left.after > 0;
    const mark = line[0];
    if (file && inHunk && (mark === '+' || mark === '-' || mark === ' ' || line === '')) {
      const text = line.slice(1);
      if (mark === '+') {
        file.lines.push({ kind: 'added', before: null, after: after++, text });
        file.added++;
        left.after--;
      } else if (mark === '-') {
        file.lines.push({ kind: 'removed', before: before++, after: null, text });
        file.removed++;
        left.before--;
      } else {
        file.lines.push({ kind: 'same', before: before++, after: after++, text });
        left = { before: left.before - 1, after: left.after - 1 };
      }
      continue;
    }
    if (line.startsWith('diff --git ')) {
      files.push(startDiffFile(line));
      left = { before: 0, after: 0 };
      continue;
    }
    if (!file) continue;
    const hunk = HUNK.exec(line);
    if (hunk) {
      before = Number(hunk[1]);
      after = Number(hunk[3]);
      left = { before: Number(hunk[2] ?? 1), after: Number(hunk[4] ?? 1) };
      file.lines.push({ kind: 'hunk', before: null, after: null, text: line });
    } else if (line.startsWith('\\'))
      file.lines.push({ kind: 'note', before: null, after: null, text: line.slice(2) });
    else readDiffHeader(file, line);
  }
  return files;
}

/** One row of a diff that is shown side by side; null: that side has no such line. */
export interface DiffRow {
  readonly left: DiffLine | null;
  readonly right: DiffLine | null;
}

/** Pairs the lines of a file for a view side by side: each run of removed lines stands beside the added lines that follow it. */
export function pairDiffLines(lines: readonly DiffLine[]): DiffRow[] {
  const rows: DiffRow[] = [];
  let removed: DiffLine[] = [];
  let added: DiffLine[] = [];
  const flush = (): void => {
    for (let index = 0; index < Math.max(removed.length, added.length); index++)
      rows.push({ left: removed[index] ?? null, right: added[index] ?? null });
    removed = [];
    added = [];
  };
  for (const line of lines) {
    if (line.kind === 'added') added.push(line);
    else {
      if (line.kind !== 'removed' || added.length > 0) flush();
      if (line.kind === 'removed') removed.push(line);
      else rows.push({ left: line, right: line });
    }
  }
  flush();
  return rows;
}
