import { readBlobs } from '../../workspace/git/blobs.ts';
import type { Store } from '../../workspace/git/store.ts';
import { type Grammar, type Language, languageOf } from '../core/language.ts';
import { goImports } from './imports/go.ts';
import { javascriptImports } from './imports/javascript.ts';
import { pythonImports } from './imports/python.ts';
import type { ImportReader } from './imports/reference.ts';
import { rustImports } from './imports/rust.ts';
import { type Facts, keptFacts, saveFacts } from './kept-facts.ts';
import { MAX_SOURCE_BYTES, syntaxProblem, withTree } from './parsing/parse.ts';
import { sourceText } from './parsing/source-text.ts';
import { toSyntax } from './parsing/syntax.ts';
import { Turns } from './parsing/turns.ts';
import { Unreadable } from './parsing/unreadable.ts';
import type { CodeFile } from './tree-files.ts';

const READERS: Readonly<Record<Language, ImportReader>> = {
  python: pythonImports,
  javascript: javascriptImports,
  go: goImports,
  rust: rustImports,
};

/** Most code, in bytes, that is read of one tree: about ten million lines. */
const MAX_CODE_BYTES = 384 * 1_048_576;
/** Bytes that are held at once. */
const BATCH_BYTES = 16 * 1_048_576;
const keyOf = ({ grammar, id }: CodeFile): string => `${grammar} ${id}`;

/** The facts of many files, each content read once: most files are the same on both sides of a patch. */
export class FactsOfCode {
  readonly #store: Store;
  readonly #known = new Map<string, Facts>();
  #kept: Promise<ReadonlyMap<string, Facts>> | null = null;
  #fresh = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  of(file: CodeFile): Facts {
    return this.#known.get(keyOf(file)) ?? { unreadable: 'was not read' };
  }

  /** @param until when to give up, as `ownCpuMs()` counts. @throws OutOfTime */
  async learn(files: Iterable<CodeFile>, until: number): Promise<void> {
    const wanted = new Map<string, CodeFile>();
    for (const file of files) {
      const key = keyOf(file);
      if (this.#known.has(key)) continue;
      if (file.bytes > MAX_SOURCE_BYTES)
        this.#known.set(key, { unreadable: `is larger than ${MAX_SOURCE_BYTES / 1_048_576} MB` });
      else wanted.set(key, file);
    }
    const turns = new Turns(until);
    this.#kept ??= keptFacts(this.#store);
    const kept = wanted.size === 0 ? null : await this.#kept;
    for (const key of [...wanted.keys()]) {
      const facts = kept?.get(key);
      if (facts === undefined) continue;
      this.#known.set(key, facts);
      wanted.delete(key);
    }
    let total = 0;
    for (const batch of batches([...wanted.values()])) {
      total += batch.reduce((sum, { bytes }) => sum + bytes, 0);
      const texts = total > MAX_CODE_BYTES ? null : await this.#read(batch);
      for (const file of batch) {
        const bytes = texts?.get(file.id);
        this.#known.set(
          keyOf(file),
          bytes === undefined
            ? { unreadable: `is beyond the first ${MAX_CODE_BYTES / 1_048_576} MB of code` }
            : await factsOf(file.grammar, bytes),
        );
        await turns.take();
      }
    }
    this.#fresh += wanted.size;
  }

  /** Keeps what was learnt for later runs, where there was anything new. */
  async save(): Promise<void> {
    if (this.#fresh > 0) await saveFacts(this.#store, this.#known);
    this.#fresh = 0;
  }

  #read(batch: readonly CodeFile[]): Promise<Map<string, Buffer>> {
    return readBlobs(
      this.#store,
      batch.map(({ id }) => id),
    );
  }
}

function* batches(files: readonly CodeFile[]): Generator<CodeFile[]> {
  let batch: CodeFile[] = [];
  let bytes = 0;
  for (const file of files) {
    batch.push(file);
    bytes += file.bytes;
    if (bytes < BATCH_BYTES) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}

/** Reads one file. Never rejects because of the code in it. */
export async function factsOf(grammar: Grammar, bytes: Buffer): Promise<Facts> {
  try {
    const source = sourceText(bytes, grammar === 'python');
    const { enters, read } = READERS[languageOf(grammar)];
    return await withTree(grammar, source, (tree) => ({
      imports: read(toSyntax(tree.rootNode, source, enters(source))),
      problem: syntaxProblem(tree),
    }));
  } catch (error) {
    if (error instanceof Unreadable) return { unreadable: error.message };
    // Code that is made so that whoever follows it falls off the stack.
    if (error instanceof RangeError) return { unreadable: 'is more than can be followed' };
    throw error;
  }
}
