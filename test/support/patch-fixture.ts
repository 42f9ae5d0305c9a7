import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Gate, GateContext, GateResult } from '../../gates/core/gate.ts';
import type { PatchToCheck } from '../../gates/core/patch-to-check.ts';
import { SandboxFactory } from '../../gates/core/sandbox-factory.ts';
import { EnvironmentExtension } from '../../gates/environment/environment-extension.ts';
import { EnvironmentSetting } from '../../gates/environment/environment-setting.ts';
import { createPatchToCheck } from '../../gates/pipeline/create-patch-to-check.ts';
import { createGitStore, type GitStore } from '../../workspace/git/git-store.ts';
import { type GitTreeEntry, writeGitCommit, writeGitObject, writeGitTree } from './git-objects.ts';
import { createTemporaryFolder } from './git-repository.ts';

/** Content by path. */
export type FileContents = Readonly<Record<string, string | Buffer>>;
/** What a patch does: new content by path; null deletes. */
export type FileEdits = Readonly<Record<string, string | Buffer | null>>;

const WHO = 'Ada <ada@example.org>';
const WHEN = 1_700_000_000;

/** Two commits in a store of their own, made without a process and without a checkout. */
export async function createPatchFixture(
  base: FileContents,
  edits: FileEdits,
): Promise<{ readonly store: GitStore; readonly base: string; readonly tree: string }> {
  const store = await createGitStore(join(createTemporaryFolder(), 'store.git'));
  const objects = join(store.dir, 'objects');
  const files = new Map<string, GitTreeEntry>();
  const edit = (all: FileEdits): string => {
    for (const [path, content] of Object.entries(all)) {
      const name = Buffer.from(path).toString('latin1');
      // A file may go where a folder was, and a folder where a file was.
      for (const each of files.keys())
        if (each === name || each.startsWith(`${name}/`) || name.startsWith(`${each}/`)) files.delete(each);
      if (content === null) continue;
      files.set(name, {
        mode: '100644',
        id: writeGitObject(objects, 'blob', Buffer.from(content as string)),
      });
    }
    return writeGitTree(objects, files);
  };
  const first = edit(base);
  const commit = { who: WHO, when: WHEN, message: '' };
  const id = writeGitCommit(objects, { ...commit, tree: first, parents: [] });
  const tree = edit(edits);
  const head = writeGitCommit(objects, { ...commit, tree, parents: [id] });
  mkdirSync(join(store.dir, 'refs/heads'));
  for (const [name, at] of Object.entries({ base: id, head }))
    writeFileSync(join(store.dir, 'refs/heads', name), `${at}\n`);
  return { store, base: id, tree };
}

/** What the gates look at, for a patch on a few files. */
export async function createSubject(
  base: FileContents,
  edits: FileEdits,
  setup: readonly string[] = [],
): Promise<PatchToCheck> {
  const patch = await createPatchFixture(base, edits);
  const workDir = join(createTemporaryFolder(), 'rooms');
  mkdirSync(workDir);
  const rooms = new SandboxFactory({ ...patch, workDir, users: null });
  const subject = await createPatchToCheck({ ...patch, rooms });
  rooms.extendSandboxes(
    new EnvironmentExtension({
      sandboxes: rooms,
      base: patch.base,
      workDir,
      setting: setup.length === 0 ? null : EnvironmentSetting.parse({ setup }),
      changedPaths: subject.changedPaths,
      cacheFolder: null,
      networkByDefault: true,
    }),
  );
  return subject;
}

/** Runs one gate on a patch. */
export async function runGate(
  gate: Gate,
  base: FileContents,
  edits: FileEdits,
  more: {
    readonly context?: Partial<GateContext>;
    readonly settings?: Readonly<Record<string, unknown>>;
    /** `environment.setup`. */
    readonly setup?: readonly string[];
  } = {},
): Promise<GateResult> {
  const subject = await createSubject(base, edits, more.setup);
  const context: GateContext = {
    subject,
    command: null,
    explicitlyEnabled: true,
    timeoutMs: 60_000,
    ...more.context,
  };
  return gate.run(context, more.settings ?? {});
}
