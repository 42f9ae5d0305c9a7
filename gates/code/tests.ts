import { grammarOf, languageOf } from '../core/language.ts';
import { type ImportGraph, moduleOf, reachable } from './imports.ts';
import type { CodeSide, Project } from './project.ts';
import { folderOf, nameOf } from './resolve/resolver.ts';

const PYTHON = /^(?:test_.*|.*_test)\.py$/s;
const JAVASCRIPT = /(?:[._-](?:test|spec)|^(?:test|spec))\.[cm]?[jt]sx?$/;
const IN_TESTS = /(?:^|\/)__tests__\/(?:.*\/)?[^/]+\.[cm]?[jt]sx?$/s;

/** A file that a runner takes for a test by its name, and not only for something that tests use. */
export function isTestFile(path: string): boolean {
  const name = nameOf(path);
  return (
    PYTHON.test(name) ||
    JAVASCRIPT.test(name) ||
    name.endsWith('_test.go') ||
    IN_TESTS.test(path) ||
    (name.endsWith('.rs') && (nameOf(folderOf(path)) === 'tests' || /^tests?\.rs$/.test(name)))
  );
}

/** Which tests of a tree reach which of its code, by imports. */
export class TestReach {
  readonly #graph: ImportGraph;
  readonly tests: readonly string[];
  /** Tests that load something by a name that is computed at run time: they may reach anything. */
  readonly computed: readonly string[];

  constructor({ files, graph, importsOf }: CodeSide) {
    this.#graph = graph;
    const tests = [...files.code.values()].filter(({ path }) => isTestFile(path));
    this.tests = tests.map(({ path }) => path);
    this.computed = tests
      .filter((file) => importsOf(file).some(({ specifier }) => specifier === null))
      .map(({ path }) => path);
  }

  /** The tests that import a file, directly or through others; itself, when it is a test. */
  of(path: string): string[] {
    const above = reachable([moduleOf(path)], (module) =>
      (this.#graph.into.get(module) ?? []).map(({ from }) => from),
    );
    return this.tests.filter((test) => above.has(test));
  }

  /** Tests that are called after a file: `test_name`, `name_test`, `name.test`, `name.spec`. */
  namedAfter(path: string): string[] {
    const stem = nameOf(path).replace(/\.[^.]+$/, '');
    const grammar = grammarOf(path);
    return this.tests.filter((test) => {
      const other = grammarOf(test);
      if (!grammar || !other || languageOf(grammar) !== languageOf(other)) return false;
      const name = nameOf(test).replace(/\.[^.]+$/, '');
      return [`test_${stem}`, `${stem}_test`, `${stem}.test`, `${stem}.spec`, `${stem}-test`].includes(name);
    });
  }
}

const known = new WeakMap<CodeSide, TestReach>();

/** The reach of the tests of one side, worked out once. */
export function testReach(side: Project['head']): TestReach {
  const there = known.get(side) ?? new TestReach(side);
  known.set(side, there);
  return there;
}
