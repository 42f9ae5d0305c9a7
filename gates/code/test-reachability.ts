import { grammarOfPath, languageOfGrammar } from '../core/language.ts';
import { findReachableModules, type ImportGraph, moduleOfPath } from './import-graph.ts';
import type { ProjectCodeRevisions, RevisionCode } from './project-code.ts';
import { baseNameOf, parentFolderOf } from './resolve/import-resolver.ts';

const PYTHON = /^(?:test_.*|.*_test)\.py$/s;
const JAVASCRIPT = /(?:[._-](?:test|spec)|^(?:test|spec))\.[cm]?[jt]sx?$/;
const IN_TESTS = /(?:^|\/)__tests__\/(?:.*\/)?[^/]+\.[cm]?[jt]sx?$/s;

/** A file that a runner takes for a test by its name, and not only for something that tests use. */
export function isTestFile(path: string): boolean {
  const name = baseNameOf(path);
  return (
    PYTHON.test(name) ||
    JAVASCRIPT.test(name) ||
    name.endsWith('_test.go') ||
    IN_TESTS.test(path) ||
    (name.endsWith('.rs') && (baseNameOf(parentFolderOf(path)) === 'tests' || /^tests?\.rs$/.test(name)))
  );
}

/** Which tests of a tree reach which of its code, by imports. */
export class TestReachability {
  readonly #graph: ImportGraph;
  readonly testPaths: readonly string[];
  /** Tests that load something by a name that is computed at run time: they may reach anything. */
  readonly testsWithDynamicImports: readonly string[];

  constructor({ files, importGraph, importsOfFile }: RevisionCode) {
    this.#graph = importGraph;
    const tests = [...files.code.values()].filter(({ path }) => isTestFile(path));
    this.testPaths = tests.map(({ path }) => path);
    this.testsWithDynamicImports = tests
      .filter((file) => importsOfFile(file).some(({ specifier }) => specifier === null))
      .map(({ path }) => path);
  }

  /** The tests that import a file, directly or through others; itself, when it is a test. */
  testsReaching(path: string): string[] {
    const above = findReachableModules([moduleOfPath(path)], (module) =>
      (this.#graph.incomingEdges.get(module) ?? []).map(({ from }) => from),
    );
    return this.testPaths.filter((test) => above.has(test));
  }

  /** Tests that are called after a file: `test_name`, `name_test`, `name.test`, `name.spec`. */
  testsNamedAfter(path: string): string[] {
    const stem = baseNameOf(path).replace(/\.[^.]+$/, '');
    const grammar = grammarOfPath(path);
    return this.testPaths.filter((test) => {
      const other = grammarOfPath(test);
      if (!grammar || !other || languageOfGrammar(grammar) !== languageOfGrammar(other)) return false;
      const name = baseNameOf(test).replace(/\.[^.]+$/, '');
      return [`test_${stem}`, `${stem}_test`, `${stem}.test`, `${stem}.spec`, `${stem}-test`].includes(name);
    });
  }
}

const known = new WeakMap<RevisionCode, TestReachability>();

/** The reach of the tests of one side, worked out once. */
export function readTestReachability(side: ProjectCodeRevisions['head']): TestReachability {
  const there = known.get(side) ?? new TestReachability(side);
  known.set(side, there);
  return there;
}
