import type { ImportReference } from '../../code/imports/reference.ts';
import { moduleOf, reachable } from '../../code/imports.ts';
import type { Project } from '../../code/project.ts';
import type { Seen } from '../../code/seen.ts';
import { isTestPath } from '../../languages/test-paths.ts';
import { commentsOf } from '../tests/strip.ts';
import type { Brought } from './fixtures.ts';
import type { TestFile, TestSide } from './protection.ts';

const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
/** The stem that tests and what they test have in common. */
const stemOf = (path: string): string =>
  nameOf(path)
    .replace(/\.[^.]*$/, '')
    .replace(/^test_|[._-](?:tests?|spec)$/g, '')
    .toLowerCase();

/** Ways in which a test reaches what it tests without importing it. */
const OTHERWISE =
  /\b(?:child_process|subprocess|spawn|spawnSync|exec|execFile|execFileSync|execSync|fork|fetch|supertest|request|requests|urllib|http|page|exec\.Command|Command::new|assert_cmd|pexpect|runpy|readFile|readFileSync|open|Path|importlib|createRequire|Worker)\b/;

/**
 * New test files, and those that no longer import what they did, which cannot see the code that they claim to test.
 */
export function unattachedTests(
  files: readonly TestFile[],
  project: Project,
  brought: ReadonlyMap<string, Brought>,
): Seen[] {
  const sources = [...project.head.files.code.keys()].filter((path) => !isTestPath(path));
  const next = (graph: Project['head']['graph']) => (module: string) =>
    (graph.from.get(module) ?? []).filter(({ kind }) => kind !== 'type').map(({ to }) => to);
  const seen: Seen[] = [];
  for (const { path, before, after } of files) {
    if (after === null || after.counts.cases === 0) continue;
    const file = project.head.files.code.get(path);
    const facts = file && project.facts.of(file);
    if (!facts || !('imports' in facts)) continue;
    const reached = reachable(
      [path, ...(brought.get(path)?.files ?? [])].map(moduleOf),
      next(project.head.graph),
    );
    const own = sources.filter((source) => reached.has(moduleOf(source)));
    const missing = facts.imports.find((reference) => leadsNowhere(reference, path, project));
    if (missing)
      seen.push({
        file: path,
        line: missing.line,
        rule: 'test_imports_nothing_there',
        message: `imports ${missing.specifier ?? 'something'}, which is not in the tree`,
        weight: 'fails',
      });
    if (own.length === 0 && sources.length > 0) {
      if (facts.imports.some(({ specifier }) => specifier === null)) continue;
      const text = withoutComments(after);
      const told =
        OTHERWISE.test(text) ||
        sources.some((source) => text.includes(nameOf(source))) ||
        facts.imports.some(({ specifier }) => specifier !== null && mayBeOwn(specifier, sources, project));
      const was = before && reachesOwn(before.path, project);
      if (before && !was) continue;
      seen.push({
        file: path,
        line: null,
        rule: 'test_without_subject',
        message: was
          ? 'no longer imports any of the code that it tested'
          : 'never imports any of the code that it claims to test',
        weight: told ? 'reported' : 'fails',
      });
      continue;
    }
    const claimed = sources.filter((source) => stemOf(source) === stemOf(path));
    if (claimed.length > 0 && !claimed.some((source) => reached.has(moduleOf(source))) && before === null)
      seen.push({
        file: path,
        line: null,
        rule: 'test_without_subject',
        message: `never imports ${claimed.join(' or ')}, which it is named after`,
        weight:
          OTHERWISE.test(withoutComments(after)) || !claimed.some((source) => isMirror(path, source))
            ? 'reported'
            : 'fails',
      });
  }
  return seen;
}

/** Folders that say what kind of tests are in them, and not what they test. */
const KIND = /^(?:__tests__|tests?|spec|specs|unit|integration|e2e|src|lib)$/i;

/**
 * Whether a test lies where tests of a source would: in no folder in particular, or in folders of the same names. Elsewhere, two files
 * that are both called `read` need not have to do with each other.
 */
function isMirror(path: string, source: string): boolean {
  const folders = (of: string): string[] =>
    of
      .split('/')
      .slice(0, -1)
      .filter((name) => !KIND.test(name));
  const own = folders(path);
  return own.length === 0 || `/${folders(source).join('/')}`.endsWith(`/${own.join('/')}`);
}

/** A comment that speaks of the code does not test it. */
function withoutComments({ path, text }: TestSide): string {
  let code = '';
  let from = 0;
  for (const comment of commentsOf(path, text)) {
    code += text.slice(from, comment.at);
    from = comment.at + comment.text.length;
  }
  return code + text.slice(from);
}

/** Names that bundlers and test runners give to folders of the project. */
const ALIAS = /^(?:[@~#$]\/|[~#$])/;

/** An import that we cannot follow, and that may lead to code of the project: an alias, its own package, a module on a path set at run time. */
function mayBeOwn(specifier: string, sources: readonly string[], { head }: Project): boolean {
  const last = (specifier.split(/[/.]/).findLast((part) => part !== '') ?? '').toLowerCase();
  if (ALIAS.test(specifier) || sources.some((source) => stemOf(source) === last)) return true;
  return [...head.files.settings].some(
    ([path, text]) => nameOf(path) === 'package.json' && packageName(text) === rootOf(specifier),
  );
}

/** The package that a specifier of JavaScript names. */
const rootOf = (specifier: string): string =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

function packageName(text: string): unknown {
  try {
    return (JSON.parse(text) as { name?: unknown } | null)?.name;
  } catch {
    return undefined;
  }
}

const reachesOwn = (path: string, { base }: Project): boolean =>
  [...reachable([moduleOf(path)], (module) => (base.graph.from.get(module) ?? []).map(({ to }) => to))].some(
    (module) => module !== moduleOf(path) && !isTestPath(module),
  );

/** A relative import of JavaScript that resolves to no file, neither code nor other. */
function leadsNowhere(reference: ImportReference, path: string, { head }: Project): boolean {
  const { specifier, line, kind } = reference;
  if (kind === 'type' || !specifier?.startsWith('.') || !/\.[cm]?[jt]sx?$/.test(path)) return false;
  if (/\.(json|css|scss|svg|png|wasm|node|txt|snap)$|\/(dist|build|lib|out|generated)\//.test(specifier))
    return false;
  return !(head.graph.from.get(moduleOf(path)) ?? []).some(
    (edge) => edge.file === path && edge.line === line,
  );
}
