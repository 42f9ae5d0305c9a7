import { execFile } from 'node:child_process';
import { mkdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { plantGit } from '../checkout/plant.ts';
import type { Store } from '../checkout/store.ts';
import { materialise } from '../checkout/tree.ts';
import { commandEnvironment } from '../process/environment.ts';
import { type Program, type RunResult, run } from '../process/run.ts';
import type { RunAs } from '../process/run-as.ts';

export interface RoomsOptions {
  readonly store: Store;
  readonly base: string;
  /** An existing folder for everything; the caller removes it. */
  readonly workDir: string;
  readonly runAs: RunAs | null;
  readonly abort?: AbortSignal;
}

/** A fresh checkout with its own home and temporary folder, for one command. */
export interface Room {
  /** Real path of the checkout. */
  readonly root: string;
  /** Its temporary folder, outside of the checkout. */
  readonly tmp: string;
  /** @param extra variables of the environment besides the usual ones. */
  run(program: Program, timeoutMs: number, extra?: Readonly<Record<string, string>>): Promise<RunResult>;
}

const execute = promisify(execFile);

/**
 * Makes a room for each command. Commands never share a checkout: what one of them does to its files, on purpose or not,
 * no other sees, and they can run side by side.
 */
export class Rooms {
  readonly #options: RoomsOptions;
  #count = 0;
  /** A checkout in which nothing has run yet, by tree. */
  readonly #unused = new Map<string, Room>();

  constructor(options: RoomsOptions) {
    this.#options = options;
  }

  /** The root of a checkout to look at, not to run anything in. The first command on that tree gets it afterwards. */
  async look(tree: string): Promise<string> {
    const room = await this.#make(tree);
    this.#unused.set(tree, room);
    return room.root;
  }

  async enter(tree: string): Promise<Room> {
    const unused = this.#unused.get(tree);
    if (!unused) return this.#make(tree);
    this.#unused.delete(tree);
    return unused;
  }

  async #make(tree: string): Promise<Room> {
    const { store, base, workDir, runAs, abort } = this.#options;
    const place = join(workDir, `room-${++this.#count}`);
    const checkout = join(place, 'tree');
    const home = join(place, 'home');
    const tmp = join(place, 'tmp');
    const index = join(place, 'index');
    await mkdir(home, { recursive: true });
    await mkdir(tmp);
    await materialise(store, tree, checkout, index);
    await plantGit(store, checkout, base, index);
    if (runAs) await execute('chown', ['-hR', `${runAs.uid}:${runAs.gid}`, '--', checkout, home, tmp]);
    const [root, territory] = await Promise.all([realpath(checkout), realpath(place)]);
    const env = commandEnvironment({ home, tmp });
    return {
      root,
      tmp,
      run: (program, timeoutMs, extra = {}) =>
        run(program, {
          cwd: root,
          env: { ...env, ...extra },
          timeoutMs,
          runAs,
          territory,
          ...(abort ? { abort } : {}),
        }),
    };
  }
}
