import type { GitStore } from '../../workspace/git/git-store.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import { type Grammar, type Language, languageOfGrammar } from '../core/language.ts';
import type { CodeFile } from './code-files.ts';
import { type CodeFileAnalysis, loadImportCache, saveImportCache } from './import-cache.ts';
import { goImportReader } from './imports/go.ts';
import type { ImportReader } from './imports/import-reference.ts';
import { javascriptImportReader } from './imports/javascript.ts';
import { pythonImportReader } from './imports/python.ts';
import { rustImportReader } from './imports/rust.ts';
import { CpuBudget } from './parsing/cpu-budget.ts';
import { decodeSource } from './parsing/decode-source.ts';
import { findSyntaxProblem, MAX_SOURCE_BYTES, withSyntaxTree } from './parsing/parse-source.ts';
import { toSyntaxNode } from './parsing/syntax-node.ts';
import { UnreadableCodeError } from './parsing/unreadable-code-error.ts';

const READERS: Readonly<Record<Language, ImportReader>> = {
  python: pythonImportReader,
  javascript: javascriptImportReader,
  go: goImportReader,
  rust: rustImportReader,
};

/** Most code, in bytes, that is read of one tree: about ten million lines. */
const MAX_CODE_BYTES = 384 * 1_048_576;
/** Bytes that are held at once. */
const BATCH_BYTES = 16 * 1_048_576;
const keyOf = ({ grammar, objectId }: CodeFile): string => `${grammar} ${objectId}`;

/** The facts of many files, each content read once: most files are the same on both sides of a patch. */
export class CodeFileAnalysisIndex {
  readonly #store: GitStore;
  readonly #known = new Map<string, CodeFileAnalysis>();
  #kept: Promise<ReadonlyMap<string, CodeFileAnalysis>> | null = null;
  #fresh = 0;

  constructor(store: GitStore) {
    this.#store = store;
  }

  get(file: CodeFile): CodeFileAnalysis {
    return this.#known.get(keyOf(file)) ?? { unreadable: 'was not read' };
  }

  /** @param until when to give up, as `readThreadCpuMs()` counts. @throws CpuBudgetExceededError */
  async load(files: Iterable<CodeFile>, until: number): Promise<void> {
    const wanted = new Map<string, CodeFile>();
    for (const file of files) {
      const key = keyOf(file);
      if (this.#known.has(key)) continue;
      if (file.bytes > MAX_SOURCE_BYTES)
        this.#known.set(key, { unreadable: `is larger than ${MAX_SOURCE_BYTES / 1_048_576} MB` });
      else wanted.set(key, file);
    }
    const turns = new CpuBudget(until);
    this.#kept ??= loadImportCache(this.#store);
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
        const bytes = texts?.get(file.objectId);
        this.#known.set(
          keyOf(file),
          bytes === undefined
            ? { unreadable: `is beyond the first ${MAX_CODE_BYTES / 1_048_576} MB of code` }
            : await analyzeCodeFile(file.grammar, bytes),
        );
        await turns.yieldAndCheck();
      }
    }
    this.#fresh += wanted.size;
  }

  /** Keeps what was learnt for later runs, where there was anything new. */
  async save(): Promise<void> {
    if (this.#fresh > 0) await saveImportCache(this.#store, this.#known);
    this.#fresh = 0;
  }

  #read(batch: readonly CodeFile[]): Promise<Map<string, Buffer>> {
    return readBlobs(
      this.#store,
      batch.map(({ objectId }) => objectId),
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
export async function analyzeCodeFile(grammar: Grammar, bytes: Buffer): Promise<CodeFileAnalysis> {
  try {
    const source = decodeSource(bytes, grammar === 'python');
    const { createNodeFilter, readImports } = READERS[languageOfGrammar(grammar)];
    return await withSyntaxTree(grammar, source, (tree) => ({
      imports: readImports(toSyntaxNode(tree.rootNode, source, createNodeFilter(source))),
      problem: findSyntaxProblem(tree),
    }));
  } catch (error) {
    if (error instanceof UnreadableCodeError) return { unreadable: error.message };
    // Code that is made so that whoever follows it falls off the stack.
    if (error instanceof RangeError) return { unreadable: 'is more than can be followed' };
    throw error;
  }
}
