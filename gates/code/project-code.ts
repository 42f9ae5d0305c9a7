import type { GitStore } from '../../workspace/git/git-store.ts';
import { CodeFileAnalysisIndex } from './code-file-analysis.ts';
import { type CodeFile, listCodeFiles, type RevisionCodeFiles } from './code-files.ts';
import { buildImportGraph, type ImportGraph, moduleOfPath } from './import-graph.ts';
import type { ImportReference } from './imports/import-reference.ts';

/** The code of one tree. */
export interface RevisionCode {
  readonly files: RevisionCodeFiles;
  readonly importGraph: ImportGraph;
  /** The files of a module: one, or those of a Go package. */
  filesOfModule(module: string): readonly CodeFile[];
  importsOfFile(file: CodeFile): readonly ImportReference[];
  /** Whether a file has parts that could not be read. */
  hasParseErrors(file: CodeFile): boolean;
}

/** The code on both sides of a patch, with what is known of each file. */
export interface ProjectCodeRevisions {
  readonly base: RevisionCode;
  readonly head: RevisionCode;
  readonly facts: CodeFileAnalysisIndex;
}

const known = new WeakMap<object, Promise<ProjectCodeRevisions>>();

/**
 * The code on both sides of a patch, read once for all who ask with the same key.
 * @param key the patch that is looked at, e.g. the subject of the gates.
 * @param until when to give up, as `readThreadCpuMs()` counts.
 * @throws CpuBudgetExceededError
 */
export function readProjectCodeRevisions(
  key: object & { readonly store: GitStore; readonly base: string; readonly patched: string },
  until: number,
): Promise<ProjectCodeRevisions> {
  const there = known.get(key);
  if (there !== undefined) return there;
  const reading = readProject(key.store, key.base, key.patched, until);
  known.set(key, reading);
  // Whoever asks next has time of his own.
  reading.catch(() => known.delete(key));
  return reading;
}

async function readProject(
  store: GitStore,
  base: string,
  head: string,
  until: number,
): Promise<ProjectCodeRevisions> {
  const [before, after] = await Promise.all([listCodeFiles(store, base), listCodeFiles(store, head)]);
  const facts = new CodeFileAnalysisIndex(store);
  await facts.load(after.code.values(), until);
  await facts.load(before.code.values(), until);
  await facts.save();
  return { base: createRevisionCode(before, facts), head: createRevisionCode(after, facts), facts };
}

function createRevisionCode(files: RevisionCodeFiles, facts: CodeFileAnalysisIndex): RevisionCode {
  const packages = new Map<string, CodeFile[]>();
  for (const file of files.code.values()) {
    const module = moduleOfPath(file.path);
    if (module !== file.path) packages.set(module, [...(packages.get(module) ?? []), file]);
  }
  return {
    files,
    importGraph: buildImportGraph(files, facts),
    filesOfModule: (module) => {
      const file = files.code.get(module);
      return file ? [file] : (packages.get(module) ?? []);
    },
    importsOfFile: (file) => {
      const known = facts.get(file);
      return 'imports' in known ? known.imports : [];
    },
    hasParseErrors: (file) => {
      const known = facts.get(file);
      return !('imports' in known) || known.problem !== null;
    },
  };
}
