import type { Store } from '../../workspace/git/store.ts';
import type { Syntax } from './parsing/syntax.ts';
import { Turns } from './parsing/turns.ts';
import type { CodeFile } from './tree-files.ts';
import { type Trees, treesOf } from './trees.ts';

/** Reads whole syntax trees, one after the other, within the time of a gate. */
export class CodeReader {
  readonly #trees: Trees;
  readonly #turns: Turns;

  /** @param until when to give up, as `ownCpuMs()` counts. */
  constructor(store: Store, until: number) {
    this.#trees = treesOf(store);
    this.#turns = new Turns(until);
  }

  /** Reads the contents of files that will be asked for, as far as they are not too large together. */
  prepare(files: readonly CodeFile[]): Promise<void> {
    return this.#trees.prepare(files);
  }

  /** The tree of a file, with the parts that parse; null when it cannot be read at all. @throws OutOfTime */
  async read(file: CodeFile): Promise<Syntax | null> {
    await this.#turns.take();
    return this.#trees.of(file);
  }

  /** The text of a file; null when it is none. */
  text(file: Pick<CodeFile, 'id' | 'grammar'>): Promise<string | null> {
    return this.#trees.text(file);
  }
}
