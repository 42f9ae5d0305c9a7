import { readBlobs } from '../../workspace/git/blobs.ts';
import { CheckoutError } from '../../workspace/git/error.ts';
import type { Store } from '../../workspace/git/store.ts';
import { MAX_SOURCE_BYTES, parse } from './parsing/parse.ts';
import { sourceText } from './parsing/source-text.ts';
import type { Syntax } from './parsing/syntax.ts';
import { Unreadable } from './parsing/unreadable.ts';
import type { CodeFile } from './tree-files.ts';

/** Source, in bytes, whose trees are kept: gates come back to the files of a patch, not to all that import them. A tree takes some 50 times as much. */
const KEPT_BYTES = 512 * 1_024;
/** Bytes that are read ahead with one question. */
const AHEAD_BYTES = 32 * 1_048_576;
/** A source that is not too large to be parsed, with what git writes before it. */
const MAX_ANSWER_BYTES = MAX_SOURCE_BYTES + 1_024;

interface Kept {
  readonly root: Promise<Syntax | null>;
  readonly bytes: number;
}

/** Syntax trees of the files of a store, for all who read them: a file that several gates look at is parsed once. */
export class Trees {
  readonly #store: Store;
  /** Those that were asked for last stand last. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;
  readonly #ahead = new Map<string, Buffer>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Reads the contents of files that will be asked for, as far as they are not too large together. */
  async prepare(files: readonly CodeFile[]): Promise<void> {
    let bytes = 0;
    const wanted = files.filter((file) => {
      if (this.#kept.has(keyOf(file)) || this.#ahead.has(file.id)) return false;
      bytes += file.bytes;
      return bytes <= AHEAD_BYTES;
    });
    const read = await readBlobs(
      this.#store,
      wanted.map(({ id }) => id),
    );
    for (const [id, content] of read) this.#ahead.set(id, content);
  }

  /** The tree of a file, with the parts that parse; null when it cannot be read at all. */
  of(file: CodeFile): Promise<Syntax | null> {
    const key = keyOf(file);
    const known = this.#kept.get(key) ?? { root: this.#parse(file), bytes: file.bytes };
    if (this.#kept.delete(key)) this.#bytes -= known.bytes;
    else known.root.catch(() => this.#forget(key, known));
    this.#kept.set(key, known);
    this.#bytes += known.bytes;
    for (const [oldest, each] of this.#kept) {
      if (this.#bytes <= KEPT_BYTES || each === known) break;
      this.#forget(oldest, each);
    }
    return known.root;
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

  async #parse({ id, grammar }: CodeFile): Promise<Syntax | null> {
    const text = await this.text({ id, grammar });
    this.#ahead.delete(id);
    try {
      return text === null ? null : (await parse(grammar, text)).root;
    } catch (error) {
      if (error instanceof Unreadable) return null;
      throw error;
    }
  }

  #forget(key: string, each: Kept): void {
    if (this.#kept.get(key) !== each) return;
    this.#kept.delete(key);
    this.#bytes -= each.bytes;
  }
}

const keyOf = ({ grammar, id }: CodeFile): string => `${grammar} ${id}`;

const ofStores = new WeakMap<Store, Trees>();

/** The trees of a store. */
export function treesOf(store: Store): Trees {
  const known = ofStores.get(store) ?? new Trees(store);
  ofStores.set(store, known);
  return known;
}
