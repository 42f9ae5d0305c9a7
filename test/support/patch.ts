import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate, GateContext, GateResult } from '../../gates/core/gate.ts';
import { Rooms } from '../../gates/core/rooms.ts';
import type { Subject } from '../../gates/core/subject.ts';
import { makeSubject } from '../../gates/pipeline/make-subject.ts';
import { createStore, type Store } from '../../workspace/git/store.ts';
import { type Entry, writeCommit, writeObject, writeTree } from './git-objects.ts';
import { temporaryFolder } from './repository.ts';

/** Content by path. */
export type Files = Readonly<Record<string, string | Buffer>>;
/** What a patch does: new content by path; null deletes. */
export type Edits = Readonly<Record<string, string | Buffer | null>>;

const WHO = 'Ada <ada@example.org>';
const WHEN = 1_700_000_000;

/** Two commits in a store of their own, made without a process and without a checkout. */
export async function makePatch(
  base: Files,
  edits: Edits,
): Promise<{ readonly store: Store; readonly base: string; readonly tree: string }> {
  const store = await createStore(join(temporaryFolder(), 'store.git'));
  const objects = join(store.dir, 'objects');
  const files = new Map<string, Entry>();
  const edit = (all: Edits): string => {
    for (const [path, content] of Object.entries(all)) {
      const name = Buffer.from(path).toString('latin1');
      // A file may go where a folder was, and a folder where a file was.
      for (const each of files.keys())
        if (each === name || each.startsWith(`${name}/`) || name.startsWith(`${each}/`)) files.delete(each);
      if (content === null) continue;
      files.set(name, { mode: '100644', id: writeObject(objects, 'blob', Buffer.from(content as string)) });
    }
    return writeTree(objects, files);
  };
  const first = edit(base);
  const commit = { who: WHO, when: WHEN, message: '' };
  const id = writeCommit(objects, { ...commit, tree: first, parents: [] });
  const tree = edit(edits);
  const head = writeCommit(objects, { ...commit, tree, parents: [id] });
  mkdirSync(join(store.dir, 'refs/heads'));
  for (const [name, at] of Object.entries({ base: id, head }))
    writeFileSync(join(store.dir, 'refs/heads', name), `${at}\n`);
  return { store, base: id, tree };
}

/** What the gates look at, for a patch on a few files. */
export async function subjectOf(base: Files, edits: Edits): Promise<Subject> {
  const patch = await makePatch(base, edits);
  const workDir = join(temporaryFolder(), 'rooms');
  mkdirSync(workDir);
  const rooms = new Rooms({ store: patch.store, base: patch.base, workDir, users: null });
  return makeSubject({ ...patch, rooms });
}

/** Runs one gate on a patch. */
export async function runGate(
  gate: Gate,
  base: Files,
  edits: Edits,
  more: {
    readonly context?: Partial<GateContext>;
    readonly settings?: Readonly<Record<string, unknown>>;
  } = {},
): Promise<GateResult> {
  const subject = await subjectOf(base, edits);
  const context: GateContext = { subject, command: null, asked: true, timeoutMs: 60_000, ...more.context };
  return gate.run(context, more.settings ?? {});
}
