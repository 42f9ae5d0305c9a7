import type { GitStore } from '../../workspace/git/git-store.ts';
import type { CodeFile } from './code-files.ts';
import { CpuBudget } from './parsing/cpu-budget.ts';
import type { SyntaxNode } from './parsing/syntax-node.ts';
import { getSyntaxTreeCache, type SyntaxTreeCache } from './syntax-tree-cache.ts';

/** Reads whole syntax trees, one after the other, within the time of a gate. */
export class SyntaxTreeReader {
  readonly #trees: SyntaxTreeCache;
  readonly #turns: CpuBudget;

  /** @param until when to give up, as `readThreadCpuMs()` counts. */
  constructor(store: GitStore, until: number) {
    this.#trees = getSyntaxTreeCache(store);
    this.#turns = new CpuBudget(until);
  }

  /** Reads the contents of files that will be asked for, as far as they are not too large together. */
  prefetch(files: readonly CodeFile[]): Promise<void> {
    return this.#trees.prefetch(files);
  }

  /** The tree of a file, with the parts that parse; null when it cannot be read at all. @throws CpuBudgetExceededError */
  async readSyntax(file: CodeFile): Promise<SyntaxNode | null> {
    await this.#turns.yieldAndCheck();
    return this.#trees.readSyntax(file);
  }

  /** The text of a file; null when it is none. */
  readText(file: Pick<CodeFile, 'objectId' | 'grammar'>): Promise<string | null> {
    return this.#trees.readText(file);
  }
}
