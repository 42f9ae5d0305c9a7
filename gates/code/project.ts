import type { Store } from '../../workspace/git/store.ts';
import { FactsOfCode } from './facts.ts';
import type { ImportReference } from './imports/reference.ts';
import { type ImportGraph, importGraph, moduleOf } from './imports.ts';
import { type CodeFile, type CodeFiles, codeFiles } from './tree-files.ts';

/** The code of one tree. */
export interface CodeSide {
  readonly files: CodeFiles;
  readonly graph: ImportGraph;
  /** The files of a module: one, or those of a Go package. */
  filesOf(module: string): readonly CodeFile[];
  importsOf(file: CodeFile): readonly ImportReference[];
  /** Whether a file has parts that could not be read. */
  isBroken(file: CodeFile): boolean;
}

/** The code on both sides of a patch, with what is known of each file. */
export interface Project {
  readonly base: CodeSide;
  readonly head: CodeSide;
  readonly facts: FactsOfCode;
}

const known = new WeakMap<object, Promise<Project>>();

/**
 * The code on both sides of a patch, read once for all who ask with the same key.
 * @param key the patch that is looked at, e.g. the subject of the gates.
 * @param until when to give up, as `ownCpuMs()` counts.
 * @throws OutOfTime
 */
export function projectOf(
  key: object & { readonly store: Store; readonly base: string; readonly patched: string },
  until: number,
): Promise<Project> {
  const there = known.get(key);
  if (there !== undefined) return there;
  const reading = readProject(key.store, key.base, key.patched, until);
  known.set(key, reading);
  // Whoever asks next has time of his own.
  reading.catch(() => known.delete(key));
  return reading;
}

async function readProject(store: Store, base: string, head: string, until: number): Promise<Project> {
  const [before, after] = await Promise.all([codeFiles(store, base), codeFiles(store, head)]);
  const facts = new FactsOfCode(store);
  await facts.learn(after.code.values(), until);
  await facts.learn(before.code.values(), until);
  await facts.save();
  return { base: sideOf(before, facts), head: sideOf(after, facts), facts };
}

function sideOf(files: CodeFiles, facts: FactsOfCode): CodeSide {
  const packages = new Map<string, CodeFile[]>();
  for (const file of files.code.values()) {
    const module = moduleOf(file.path);
    if (module !== file.path) packages.set(module, [...(packages.get(module) ?? []), file]);
  }
  return {
    files,
    graph: importGraph(files, facts),
    filesOf: (module) => {
      const file = files.code.get(module);
      return file ? [file] : (packages.get(module) ?? []);
    },
    importsOf: (file) => {
      const known = facts.of(file);
      return 'imports' in known ? known.imports : [];
    },
    isBroken: (file) => {
      const known = facts.of(file);
      return !('imports' in known) || known.problem !== null;
    },
  };
}
