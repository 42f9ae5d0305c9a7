import type { ImportReference } from '../../code/imports/reference.ts';
import { moduleOf, reachable } from '../../code/imports.ts';
import type { Project } from '../../code/project.ts';
import type { Seen } from '../code/seen.ts';
import { isTestPath } from '../test-paths.ts';
import type { TestFile } from './protection.ts';

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

/** New test files, and those that no longer import what they did, which cannot see the code that they claim to test. */
export function unattachedTests(files: readonly TestFile[], project: Project): Seen[] {
  const sources = [...project.head.files.code.keys()].filter((path) => !isTestPath(path));
  const next = (graph: Project['head']['graph']) => (module: string) =>
    (graph.from.get(module) ?? []).filter(({ kind }) => kind !== 'type').map(({ to }) => to);
  const seen: Seen[] = [];
  for (const { path, before, after } of files) {
    if (after === null || after.counts.cases === 0) continue;
    const file = project.head.files.code.get(path);
    const facts = file && project.facts.of(file);
    if (!facts || !('imports' in facts)) continue;
    const reached = reachable([moduleOf(path)], next(project.head.graph));
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
      const told =
        OTHERWISE.test(after.text) || sources.some((source) => after.text.includes(nameOf(source)));
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
        weight: OTHERWISE.test(after.text) ? 'reported' : 'fails',
      });
  }
  return seen;
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
