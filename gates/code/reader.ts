import { readBlobs } from '../checkout/edit.ts';
import { CheckoutError } from '../checkout/error.ts';
import type { Store } from '../checkout/store.ts';
import { MAX_SOURCE_BYTES, parse } from './parse.ts';
import { sourceText } from './source-text.ts';
import type { Syntax } from './syntax.ts';
import type { CodeFile } from './tree-files.ts';
import { Turns } from './turns.ts';
import { Unreadable } from './unreadable.ts';

/** Trees that are kept: a gate comes back to the files of a patch, not to all that import them. */
const KEPT = 64;
/** Bytes that are read ahead with one process. */
const AHEAD_BYTES = 32 * 1_048_576;
/** A source that is not too large to be parsed, with what git writes before it. */
const MAX_ANSWER_BYTES = MAX_SOURCE_BYTES + 1_024;

/** Reads whole syntax trees, one after the other. */
export class CodeReader {
  readonly #store: Store;
  readonly #kept = new Map<string, Syntax | null>();
  readonly #turns: Turns;
  #ahead: ReadonlyMap<string, Buffer> = new Map();

  /** @param until when to give up, as `ownCpuMs()` counts. */
  constructor(store: Store, until: number) {
    this.#store = store;
    this.#turns = new Turns(until);
  }

  /** Reads the contents of files that will be asked for, as far as they are not too large together. */
  async prepare(files: readonly CodeFile[]): Promise<void> {
    let bytes = 0;
    const wanted = files.filter((file) => {
      bytes += file.bytes;
      return bytes <= AHEAD_BYTES;
    });
    this.#ahead = await readBlobs(
      this.#store,
      wanted.map(({ id }) => id),
    );
  }

  /** The tree of a file, with the parts that parse; null when it cannot be read at all. @throws OutOfTime */
  async read({ id, grammar }: CodeFile): Promise<Syntax | null> {
    await this.#turns.take();
    const key = `${grammar} ${id}`;
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const root = await this.#parse(id, grammar);
    this.#kept.set(key, root);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > KEPT && oldest !== undefined) this.#kept.delete(oldest);
    return root;
  }

  /** The text of a file; null when it is none. */
  async text({ id, grammar }: Pick<CodeFile, 'id' | 'grammar'>): Promise<string | null> {
    try {
      const bytes = this.#ahead.get(id) ?? (await readBlobs(this.#store, [id], MAX_ANSWER_BYTES)).get(id);
      return bytes === undefined ? null : sourceText(bytes, grammar === 'python');
    } catch (error) {
      if (error instanceof Unreadable || error instanceof CheckoutError) return null;
      throw error;
    }
  }

  async #parse(id: string, grammar: CodeFile['grammar']): Promise<Syntax | null> {
    const text = await this.text({ id, grammar });
    try {
      return text === null ? null : (await parse(grammar, text)).root;
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  }
}
