import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import type { CodeFile } from './code-files.ts';
import { decodeSource } from './parsing/decode-source.ts';
import { MAX_SOURCE_BYTES, parseSource } from './parsing/parse-source.ts';
import type { SyntaxNode } from './parsing/syntax-node.ts';
import { UnreadableCodeError } from './parsing/unreadable-code-error.ts';

/** Source, in bytes, whose trees are kept: gates come back to the files of a patch, not to all that import them. A tree takes some 50 times as much. */
const KEPT_BYTES = 512 * 1_024;
/** Bytes that are read ahead with one question. */
const AHEAD_BYTES = 32 * 1_048_576;
/** A source that is not too large to be parsed, with what git writes before it. */
const MAX_ANSWER_BYTES = MAX_SOURCE_BYTES + 1_024;

interface CachedTree {
  readonly root: Promise<SyntaxNode | null>;
  readonly bytes: number;
}

/** Syntax trees of the files of a store, for all who read them: a file that several gates look at is parsed once. */
export class SyntaxTreeCache {
  readonly #store: GitStore;
  /** Those that were asked for last stand last. */
  readonly #kept = new Map<string, CachedTree>();
  #bytes = 0;
  readonly #ahead = new Map<string, Buffer>();

  constructor(store: GitStore) {
    this.#store = store;
  }

  /** Reads the contents of files that will be asked for, as far as they are not too large together. */
  async prefetch(files: readonly CodeFile[]): Promise<void> {
    let bytes = 0;
    const wanted = files.filter((file) => {
      if (this.#kept.has(keyOf(file)) || this.#ahead.has(file.objectId)) return false;
      bytes += file.bytes;
      return bytes <= AHEAD_BYTES;
    });
    const read = await readBlobs(
      this.#store,
      wanted.map(({ objectId }) => objectId),
    );
    for (const [id, content] of read) this.#ahead.set(id, content);
  }

  /** The tree of a file, with the parts that parse; null when it cannot be read at all. */
  readSyntax(file: CodeFile): Promise<SyntaxNode | null> {
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
  async readText({ objectId, grammar }: Pick<CodeFile, 'objectId' | 'grammar'>): Promise<string | null> {
    try {
      const bytes =
        this.#ahead.get(objectId) ??
        (await readBlobs(this.#store, [objectId], MAX_ANSWER_BYTES)).get(objectId);
      return bytes === undefined ? null : decodeSource(bytes, grammar === 'python');
    } catch (error) {
      if (error instanceof UnreadableCodeError || error instanceof CheckoutError) return null;
      throw error;
    }
  }

  async #parse({ objectId, grammar }: CodeFile): Promise<SyntaxNode | null> {
    const text = await this.readText({ objectId, grammar });
    this.#ahead.delete(objectId);
    try {
      return text === null ? null : (await parseSource(grammar, text)).root;
    } catch (error) {
      if (error instanceof UnreadableCodeError) return null;
      throw error;
    }
  }

  #forget(key: string, each: CachedTree): void {
    if (this.#kept.get(key) !== each) return;
    this.#kept.delete(key);
    this.#bytes -= each.bytes;
  }
}

const keyOf = ({ grammar, objectId }: CodeFile): string => `${grammar} ${objectId}`;

const ofStores = new WeakMap<GitStore, SyntaxTreeCache>();

/** The trees of a store. */
export function getSyntaxTreeCache(store: GitStore): SyntaxTreeCache {
  const known = ofStores.get(store) ?? new SyntaxTreeCache(store);
  ofStores.set(store, known);
  return known;
}
