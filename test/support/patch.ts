import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createStore, type Store } from '../../gates/checkout/store.ts';
import type { Gate, GateContext, GateResult } from '../../gates/engine/gate.ts';
import { Rooms } from '../../gates/engine/rooms.ts';
import { makeSubject, type Subject } from '../../gates/engine/subject.ts';
import { temporaryFolder } from './repository.ts';

/** Content by path. */
export type Files = Readonly<Record<string, string | Buffer>>;
/** What a patch does: new content by path; null deletes. */
export type Edits = Readonly<Record<string, string | Buffer | null>>;

const IDENTITY = 'Ada <ada@example.org> 1700000000 +0000';

/** Two commits in a store of their own, made with one process and without a checkout. */
export async function makePatch(
  base: Files,
  edits: Edits,
): Promise<{ readonly store: Store; readonly base: string; readonly tree: string }> {
  const store = await createStore(join(temporaryFolder(), 'store.git'));
  const commit = (branch: string, files: Edits, from?: string): Buffer[] => [
    Buffer.from(
      `commit refs/heads/${branch}\n${from ? '' : 'mark :1\n'}committer ${IDENTITY}\ndata 0\n${from ? `from ${from}\n` : ''}`,
    ),
    ...Object.entries(files).flatMap(([path, content]) => {
      const name = JSON.stringify(path);
      if (content === null) return [Buffer.from(`D ${name}\n`)];
      const bytes = Buffer.from(content as string);
      return [Buffer.from(`M 100644 inline ${name}\ndata ${bytes.length}\n`), bytes, Buffer.from('\n')];
    }),
    Buffer.from('\n'),
  ];
  const git = (args: readonly string[], input?: Buffer): string =>
    execFileSync('git', args, {
      env: { PATH: process.env['PATH'], GIT_DIR: store.dir },
      input,
      encoding: 'utf8',
    });
  git(['fast-import', '--quiet'], Buffer.concat([...commit('base', base), ...commit('head', edits, ':1')]));
  const [first = '', second = ''] = git(['rev-parse', 'refs/heads/base', 'refs/heads/head^{tree}'])
    .trim()
    .split('\n');
  return { store, base: first, tree: second };
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
