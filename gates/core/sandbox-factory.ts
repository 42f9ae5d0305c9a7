import { chmod, chown, mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { changeOwner } from '../../workspace/git/change-owner.ts';
import { checkOutTree } from '../../workspace/git/checkout-tree.ts';
import { createCheckoutGit } from '../../workspace/git/create-checkout-git.ts';
import { emptyTreeId, type GitStore } from '../../workspace/git/git-store.ts';
import { listFiles } from '../../workspace/git/list-files.ts';
import {
  copyObjectsMissingFromPack,
  createObjectPack,
  type ObjectPack,
} from '../../workspace/git/object-pack.ts';
import { encodePath } from '../../workspace/git/path-encoding.ts';
import { buildCommandEnvironment } from '../../workspace/process/command-environment.ts';
import { ExclusiveGroupLock } from '../../workspace/process/exclusive-groups.ts';
import type { ProcessUser } from '../../workspace/process/process-user.ts';
import {
  createForeignCodeResult,
  createUncontainedResult,
  type ProcessCommand,
  type ProcessResult,
  runProcess,
} from '../../workspace/process/run-process.ts';
import { writeNewFile } from '../../workspace/process/write-new-file.ts';
import { PrivateTrees } from './private-trees.ts';
import type { SandboxExtension, SandboxFolders } from './sandbox-extension.ts';

export interface SandboxFactoryOptions {
  /** Holds the base commit and every tree that sandboxes are made of. No sandbox reads it. */
  readonly store: GitStore;
  /** Base commit. */
  readonly base: string;
  /** Tree of the patch as it was handed in. */
  readonly tree: string;
  /** An existing folder for everything; the caller removes it. */
  readonly workDir: string;
  /** Users that commands run as, one for each room as far as they go; null: all run as we do. */
  readonly users: readonly ProcessUser[] | null;
  readonly abort?: AbortSignal;
}

/** A fresh checkout with its own home and temporary folder, for one command. */
export interface Sandbox {
  /** Real path of the checkout. */
  readonly checkoutRoot: string;
  /** Real path of a checkout of the base commit that its commands can read and not write; null: it has none. */
  readonly baseRoot: string | null;
  /** Its temporary folder, outside of the checkout. */
  readonly tmpFolder: string;
  readonly folders: SandboxFolders;
  /**
   * @param extra variables of the environment besides the usual ones.
   * @param abort ends the command before its time.
   */
  run(
    program: ProcessCommand,
    timeoutMs: number,
    extra?: Readonly<Record<string, string>>,
    abort?: AbortSignal,
  ): Promise<ProcessResult>;
  /** Leaves paths of the tree for commands to read, each ended by NUL and from the checkout on. Once; gives the file's path. */
  writePathList(paths: readonly string[]): Promise<string>;
}

/** A user that sandboxes share: a command waits for that of another sandbox with the same user. */
interface SandboxUser {
  readonly user: ProcessUser | null;
  readonly exclusiveGroups: ExclusiveGroupLock;
}

const PATCH_GROUP = 'patch';

/**
 * Makes a sandbox for each command. Commands never share a checkout, so no command sees what another one does to its files, and they
 * can run side by side. Where we may change user, a sandbox can be entered only while its own command runs, and only by its own user.
 *
 * The git repository of a sandbox holds the objects of the base commit, of the patched tree and of the sandbox's own tree, and nothing
 * else of the store.
 *
 * Nothing of the patch runs while commands run on the base: a daemon, a taken port or a file in a common folder would answer for it.
 */
export class SandboxFactory {
  readonly #options: SandboxFactoryOptions;
  readonly #sandboxUsers: readonly SandboxUser[];
  readonly #turns = new ExclusiveGroupLock();
  readonly #apart: Set<string>;
  #count = 0;
  /** A checkout in which nothing has run yet, by tree. */
  readonly #unused = new Map<string, Sandbox>();
  readonly #privateTrees: PrivateTrees;
  /** Objects of base and patch. Made once: packing takes a fraction of one checkout. */
  #pack: Promise<ObjectPack> | null = null;
  /** Null until the configuration of the base commit is known, and where it prepares nothing. */
  #extension: SandboxExtension | null = null;
  readonly #preparationClock = new PreparationClock();
  /** Once a command could not be contained, no other is started: it could be met by what is left. */
  #uncontained: string | null = null;

  constructor(options: SandboxFactoryOptions) {
    this.#options = options;
    this.#privateTrees = new PrivateTrees(options.store, options.workDir);
    this.#apart = new Set([options.base]);
    this.#sandboxUsers = (options.users ?? [null]).map((user) => ({
      user,
      exclusiveGroups: new ExclusiveGroupLock(),
    }));
  }

  /** Milliseconds on the clock of `performance.now()`, without those in which a command waits to be let in or sandboxes are prepared. */
  nowExcludingWaits(): number {
    return this.#turns.nowExcludingWaits() - this.#preparationClock.elapsedMs();
  }

  /** How much is left of a time limit that begins now, in milliseconds, at least 1. Time in which a command waits to be let in does not count. */
  startTimeLimit(limitMs: number): () => number {
    const until = this.nowExcludingWaits() + limitMs;
    return () => Math.max(1, until - this.nowExcludingWaits());
  }

  /** Removes what extensions keep outside of the folder of the run. No command runs any more. */
  async release(): Promise<void> {
    await this.#extension?.release();
  }

  /** Sets what every sandbox gets before its first command. */
  extendSandboxes(extension: SandboxExtension): void {
    this.#extension = extension;
  }

  /** Returns what tells the preparation of a tree from every other one; null: nothing is prepared. @throws EnvironmentError */
  identifyPreparation(tree: string): Promise<string | null> {
    return this.#preparationClock.track(this.#extension?.identifyPreparation(tree) ?? Promise.resolve(null));
  }

  /** What is asked of this tree is asked while nothing else runs, as it is of the base. */
  runExclusively(tree: string): void {
    this.#apart.add(tree);
  }

  /** The store that holds a tree. */
  storeOf(tree: string): GitStore {
    return this.#privateTrees.storeOf(tree) ?? this.#options.store;
  }

  /** Whether only the tree's own sandboxes may read it, and what was made from it. */
  isPrivate(tree: string): boolean {
    return this.#privateTrees.has(tree);
  }

  /** Removes a folder when its private tree is removed. */
  removeWithPrivateTree(tree: string, folder: string): void {
    this.#privateTrees.addPlace(tree, folder);
  }

  /**
   * Makes a tree in a store of its own and hands it to `work`. Commands on it run alone. Store and sandboxes of the tree are removed
   * afterwards, so that its files are on disk only while they are needed.
   * @param makeTree writes the tree into a store that borrows all objects of the common one.
   */
  withPrivateTree<Value>(
    makeTree: (store: GitStore) => Promise<string>,
    work: (tree: string) => Promise<Value>,
  ): Promise<Value> {
    return this.#privateTrees.withTree(makeTree, (tree) => {
      if (this.isPrivate(tree)) this.runExclusively(tree);
      return work(tree);
    });
  }

  /** The root of a checkout to look at, not to run anything in. The first command on that tree gets it afterwards. */
  async createReadOnlyCheckout(tree: string): Promise<string> {
    const room = await this.#make(tree, { group: this.#groupOf(tree) });
    this.#unused.set(tree, room);
    return room.checkoutRoot;
  }

  async createSandbox(tree: string): Promise<Sandbox> {
    const unused = this.#unused.get(tree);
    if (!unused) return this.#make(tree, { group: this.#groupOf(tree) });
    this.#unused.delete(tree);
    return unused;
  }

  /** The same with the base commit beside the tree, for code of the base that looks at the tree. */
  createSandboxWithBase(tree: string): Promise<Sandbox> {
    return this.#make(tree, { group: this.#groupOf(tree), withBase: true });
  }

  /**
   * Returns a checkout whose commands test changed copies of its code, so the question where they loaded it from is not asked. Only for
   * mutation testing: tests that load other code notice no mutant.
   */
  createMutationSandbox(tree: string): Promise<Sandbox> {
    return this.#make(tree, { group: this.#groupOf(tree), checksOrigins: false });
  }

  /** Returns a checkout without what the extension adds: preparation itself runs in it. */
  createBareSandbox(tree: string): Promise<Sandbox> {
    return this.#make(tree, { group: this.#groupOf(tree), environment: null });
  }

  /** A checkout for questions to the machine, such as which tools it has: they have nothing to do with what runs beside them. */
  createToolQuerySandbox(tree: string): Promise<Sandbox> {
    return this.#make(tree, { group: null });
  }

  /** The same without the files of the tree, where none of them lies in a place that counts for the question. */
  async createMinimalToolQuerySandbox(tree: string, counts: RegExp): Promise<Sandbox> {
    const { store } = this.#options;
    const files = await listFiles(store, tree);
    const shown = files.some(({ path }) => counts.test(path)) ? tree : emptyTreeId(store);
    return this.#make(shown, { group: null, environment: tree });
  }

  #groupOf(tree: string): string {
    return this.#apart.has(tree) ? tree : PATCH_GROUP;
  }

  /**
   * @param options.environment tree whose environment the sandbox gets; null: none; absent: that of its own tree.
   * @param options.checksOrigins whether a command counts only if it loaded the code of the checkout.
   */
  async #make(
    tree: string,
    {
      group,
      withBase = false,
      environment = tree,
      checksOrigins = true,
    }: {
      readonly group: string | null;
      readonly withBase?: boolean;
      readonly environment?: string | null;
      readonly checksOrigins?: boolean;
    },
  ): Promise<Sandbox> {
    const { base, workDir } = this.#options;
    const store = this.storeOf(tree);
    const number = ++this.#count;
    const sandboxUser = this.#sandboxUsers[number % this.#sandboxUsers.length] ?? {
      user: null,
      exclusiveGroups: new ExclusiveGroupLock(),
    };
    const place = join(workDir, `room-${number}`);
    const checkout = join(place, 'tree');
    const home = join(place, 'home');
    const tmp = join(place, 'tmp');
    const index = join(place, 'index');
    await mkdir(place, { mode: 0o700 });
    await Promise.all([mkdir(home, { mode: 0o700 }), mkdir(tmp, { mode: 0o700 })]);
    this.removeWithPrivateTree(tree, place);
    const baseFolder = join(place, 'base');
    const [pack] = await Promise.all([
      this.#packBaseAndPatch(),
      checkOutTree(store, tree, checkout, index),
      withBase ? checkOutTree(store, base, baseFolder, join(place, 'base-index')) : undefined,
    ]);
    const git = await createCheckoutGit({
      checkout,
      format: store.format,
      borrowFrom: pack.objectsFolder,
      commit: base,
      index,
    });
    await copyObjectsMissingFromPack(store, tree, pack, git);
    const [root, territory] = await Promise.all([realpath(checkout), realpath(place)]);
    if (sandboxUser.user) {
      await changeOwner(sandboxUser.user, [checkout, home, tmp]);
      await chown(place, 0, sandboxUser.user.gid);
    }
    const env = buildCommandEnvironment({ home, tmp });
    const folders: SandboxFolders = {
      place: territory,
      checkout: root,
      home: join(territory, 'home'),
      tmp: join(territory, 'tmp'),
      user: sandboxUser.user,
    };
    const execute = (
      program: ProcessCommand,
      timeoutMs: number,
      variables: Readonly<Record<string, string>>,
      abort?: AbortSignal,
    ): Promise<ProcessResult> => {
      const ends = [this.#options.abort, abort].filter((each) => each !== undefined);
      const start = () =>
        this.#inside(place, sandboxUser, (runAs) =>
          runProcess(program, {
            cwd: root,
            env: { ...env, ...variables },
            timeoutMs,
            runAs,
            exclusiveFolder: territory,
            ...(ends.length > 0 ? { abort: AbortSignal.any(ends) } : {}),
          }),
        );
      return group === null ? start() : this.#turns.runInGroup(group, start);
    };
    let installing: ReturnType<SandboxExtension['install']> | null = null;
    return {
      checkoutRoot: root,
      baseRoot: withBase ? await realpath(baseFolder) : null,
      tmpFolder: tmp,
      folders,
      writePathList: (paths) =>
        writeNewFile(
          join(place, 'given'),
          'files',
          Buffer.concat(paths.flatMap((path) => [HERE, encodePath(path), NUL])),
        ),
      run: async (program, timeoutMs, extra = {}, abort) => {
        const extension = this.#extension;
        if (extension === null || environment === null) return execute(program, timeoutMs, extra, abort);
        installing ??= this.#preparationClock.track(
          extension.install(environment, folders, (line, limitMs, variables) =>
            execute({ line }, limitMs, variables),
          ),
        );
        const { variables, failedBuild } = await installing;
        if (failedBuild !== null) return failedBuild;
        const result = await execute(program, timeoutMs, mergeVariables(variables, extra), abort);
        if (!checksOrigins) return result;
        const foreign = await extension.findForeignCode(environment, folders);
        return foreign === null ? result : createForeignCodeResult(result, foreign);
      },
    };
  }

  #packBaseAndPatch(): Promise<ObjectPack> {
    const { store, base, tree, workDir } = this.#options;
    this.#pack ??= createObjectPack(store, { commit: base, trees: [tree] }, join(workDir, 'objects'));
    return this.#pack;
  }

  /** One room at a time for each user, and its door is closed when nobody of ours is in. */
  #inside(
    place: string,
    { user, exclusiveGroups }: SandboxUser,
    work: (user: ProcessUser | null) => Promise<ProcessResult>,
  ): Promise<ProcessResult> {
    if (user === null) return work(null);
    return exclusiveGroups.runInGroup(place, async () => {
      if (this.#uncontained !== null) return createUncontainedResult(this.#uncontained);
      await chmod(place, 0o710);
      try {
        const result = await work(user);
        if (result.end === 'uncontained') this.#uncontained = result.startError;
        return result;
      } finally {
        await chmod(place, 0o700);
      }
    });
  }
}

/** Adds up the time in which at least one sandbox is being prepared: no time limit of a command counts it. */
class PreparationClock {
  #running = 0;
  #since = 0;
  #totalMs = 0;

  elapsedMs(): number {
    return this.#totalMs + (this.#running > 0 ? performance.now() - this.#since : 0);
  }

  async track<Value>(work: Promise<Value>): Promise<Value> {
    if (this.#running++ === 0) this.#since = performance.now();
    try {
      return await work;
    } finally {
      if (--this.#running === 0) this.#totalMs += performance.now() - this.#since;
    }
  }
}

/** Options of Node add up: reporters and probes both need some. */
function mergeVariables(
  variables: Readonly<Record<string, string>>,
  extra: Readonly<Record<string, string>>,
): Record<string, string> {
  const options = [variables['NODE_OPTIONS'], extra['NODE_OPTIONS']].filter((each) => each !== undefined);
  return { ...variables, ...extra, ...(options.length > 1 ? { NODE_OPTIONS: options.join(' ') } : {}) };
}

const HERE = Buffer.from('./');
const NUL = Buffer.from([0]);
