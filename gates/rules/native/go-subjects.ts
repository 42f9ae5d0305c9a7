import type { Store } from '../../checkout/store.ts';
import type { Project } from '../../code/project.ts';
import { CodeReader } from '../../code/reader.ts';
import { goPackage } from '../../code/resolve/go.ts';
import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import { lineCounter } from '../tests/line-counter.ts';
import { Brackets, TooTangled } from './brackets.ts';
import { goTests, isGoTest } from './go.ts';
import { goDeclared } from './go-declared.ts';
import { lex } from './lex.ts';
import { MAX_CHARACTERS, type NativeCase } from './model.ts';

/** Packages by which a test reaches what it tests without naming it. */
const OTHERWISE = /^(?:os(?:\/exec)?|net(?:\/.*)?|plugin|database\/sql|io\/fs|embed|go\/.*|C)$/;
const IMPORTS = /^import[ \t]{1,5}(?:\(([^)]{0,20000})\)|([^\n(]{0,400}))/gm;
const IMPORT = /(?:([\w.]{1,100})[ \t]{1,5})?"([^"\n]{1,300})"/g;
const BUILT_IN =
  /^(?:any|append|bool|byte|cap|clear|close|comparable|complex\w*|copy|delete|error|false|float\d+|imag|int\d*|iota|len|make|max|min|new|nil|panic|print|println|real|recover|rune|string|true|u?int\w*|uintptr)$/;
const WORDS = /(?<![\w.])[A-Za-z_]\w*/g;
/** A function that is called by its plain name, which others can see. */
const CALLED = /(?<![\w.]|\.\s{1,100}|\bfunc[ \t]{1,5})([A-Z]\w{0,200})\s{0,3}\(/g;

interface Package {
  /** What its sources declare, and what its tests do. */
  readonly sources: ReadonlySet<string>;
  readonly tests: ReadonlySet<string>;
  /** Whether more may belong to it than lies in the tree. */
  readonly isOpen: boolean;
}

interface Import {
  readonly name: string;
  readonly path: string;
}

interface GoTestFile {
  readonly path: string;
  readonly text: string;
  readonly before: string | null;
  readonly code: string;
  readonly imports: readonly Import[];
}

/** New tests of Go that look at nothing but themselves, and those that call what their package does not have. */
export async function goSubjects(
  texts: readonly ChangedText[],
  project: Project,
  store: Store,
  until: number,
): Promise<Seen[]> {
  const files = texts.flatMap(({ path, before, after }): GoTestFile[] => {
    if (after === null || !isGoTest(path) || after.length > MAX_CHARACTERS) return [];
    const { code } = lex('go', after);
    return [{ path, text: after, before, code, imports: importsOf(after, code) }];
  });
  if (files.length === 0) return [];
  const reader = new CodeReader(store, until);
  const packages = new Map<string, Package>();
  const known = new Set(
    texts
      .flatMap(({ from, before }) => (from && before ? casesIn(from, before) : []))
      .map(({ name }) => name),
  );
  const alone: Seen[] = [];
  const missing: Seen[] = [];
  let added = 0;
  for (const file of files) {
    const folder = goPackage(file.path);
    const own = packages.get(folder) ?? (await packageOf(folder, project, reader));
    packages.set(folder, own);
    // A name may come from anywhere.
    if (file.imports.some(({ name }) => name === '.')) continue;
    missing.push(...callsNothing(file, own));
    const ofProject = new Set(
      (project.head.graph.from.get(file.path) ?? []).map(({ specifier }) => specifier),
    );
    // Paths of the standard library have no dot in front of their first slash.
    const isForeign = (path: string): boolean => ofProject.has(path) || /^[^/]*\./.test(path);
    const looks = lookout(file, own, isForeign);
    for (const one of casesIn(file.path, file.text)) {
      if (known.has(one.name)) continue;
      added++;
      if (!looks(one))
        alone.push({
          file: file.path,
          line: one.line,
          rule: 'test_without_subject',
          message: `the new test "${one.name}" looks at nothing but itself`,
          weight: 'reported',
        });
    }
  }
  const weight = alone.length === added ? 'fails' : 'reported';
  return [...missing, ...alone.map((each) => ({ ...each, weight }) as const)];
}

function casesIn(path: string, text: string): readonly NativeCase[] {
  try {
    return text.length > MAX_CHARACTERS ? [] : goTests(path, text).cases;
  } catch (error) {
    if (error instanceof TooTangled) return [];
    throw error;
  }
}

/** What a file imports, each by the name that it goes by. */
const importsOf = (text: string, code: string): Import[] =>
  [...code.matchAll(IMPORTS)].flatMap(({ index, 0: whole }) =>
    [...text.slice(index, index + whole.length).matchAll(IMPORT)].map(([, name, path = '']) => ({
      name:
        name ??
        path
          .replace(/\/v\d+$/, '')
          .split('/')
          .at(-1) ??
        '',
      path,
    })),
  );

async function packageOf(folder: string, { head }: Project, reader: CodeReader): Promise<Package> {
  const [sources, tests] = [new Set<string>(), new Set<string>()];
  let isOpen = false;
  for (const file of head.files.code.values()) {
    if (!file.path.endsWith('.go') || goPackage(file.path) !== folder) continue;
    const source = (await reader.read(file))?.source ?? null;
    if (source === null || source.length > MAX_CHARACTERS) {
      isOpen = true;
      continue;
    }
    isOpen ||= /^\/\/go:generate\b|^import "C"/m.test(source);
    for (const name of goDeclared(lex('go', source).code))
      (file.path.endsWith('_test.go') ? tests : sources).add(name);
  }
  return { sources, tests, isOpen };
}

const isFromOutside = (code: string): boolean => /^[ \t]*package[ \t]{1,5}\w{1,200}_test\b/m.test(code);

/** What a file declares outside of functions, by name: each declaration up to the next. */
function declarationsOf(code: string): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const part of code.split(/^(?=(?:func|type|var|const)\b)/m))
    for (const name of goDeclared(part)) found.set(name, [...(found.get(name) ?? []), part]);
  return found;
}

/** How often all characters of a file may be looked at again, because its tests share what they call. */
const MAX_READINGS = 20;

/** Tells whether a case names something of its package or of another that is not the language's own, itself or by what it calls. */
function lookout(
  { code, imports }: GoTestFile,
  own: Package,
  isForeign: (path: string) => boolean,
): (one: NativeCase) => boolean {
  if (own.isOpen || own.sources.size === 0) return () => true;
  const foreign = new Set<string>();
  for (const { name, path } of imports) {
    if (OTHERWISE.test(path)) return () => true;
    if (!isForeign(path) || ASSERTS.test(name)) continue;
    // The name of its package is another one, and may be any.
    if (!/^\w+$/.test(name)) return () => true;
    foreign.add(name);
  }
  const outside = isFromOutside(code);
  const local = declarationsOf(code);
  let left = MAX_READINGS * code.length;
  return (one) => {
    const seen = new Set<string>([one.name]);
    const waiting = [lex('go', one.text).code];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      left -= at.length;
      // What is too tangled to be followed may look at anything.
      if (left < 0) return true;
      for (const [word] of at.matchAll(WORDS)) {
        if (seen.has(word) || BUILT_IN.test(word)) continue;
        seen.add(word);
        if (foreign.has(word) || (!outside && own.sources.has(word))) return true;
        const here = local.get(word);
        if (here) waiting.push(...here);
        // What other files of tests bring is not followed.
        else if (own.tests.has(word)) return true;
      }
    }
    return false;
  };
}

/** Libraries that only ask. */
const ASSERTS = /^(?:assert|require|is|qt|cmp|cmpopts|check|quick|gomega|ginkgo)$/;

/** Most calls of one file that are told. */
const MAX_TOLD = 20;

/** Calls of what neither the package nor its tests declare: they do not compile, if ever they are built. */
function callsNothing({ path, text, before, code }: GoTestFile, own: Package): Seen[] {
  if (own.isOpen || isFromOutside(code)) return [];
  const lineOf = lineCounter(text);
  const local = localsOf(code);
  const known = new Set(before?.match(/\w+/g));
  const told = new Set<string>();
  return [...withoutInterfaces(code).matchAll(CALLED)].flatMap(({ index, 1: name = '' }): Seen[] => {
    if ([own.sources, own.tests, local, known, told].some((names) => names.has(name))) return [];
    if (told.size >= MAX_TOLD) return [];
    told.add(name);
    return [
      {
        file: path,
        line: lineOf(index),
        rule: 'test_imports_nothing_there',
        message: `calls ${name}, which its package does not have`,
        weight: 'fails',
      },
    ];
  });
}

/** Variables, parameters and types of functions. */
const localsOf = (code: string): Set<string> =>
  new Set([
    ...[...code.matchAll(/^[^\n]{0,400}?:=/gm)].flatMap(([left]) => left.match(/\w+/g) ?? []),
    ...[
      ...code.matchAll(
        /(?:[(,]\s{0,20}|\b(?:var|type|const)[ \t]{1,10})([A-Z]\w{0,200})[ \t]{1,10}[\w*[.(=]/g,
      ),
    ].map(([, name = '']) => name),
  ]);

/** Methods of an interface are written as calls are. */
function withoutInterfaces(code: string): string {
  const brackets = new Brackets(code);
  const parts: string[] = [];
  let at = 0;
  for (const { index, 0: head } of code.matchAll(/\binterface\s{0,5}\{/g)) {
    if (index < at) continue;
    const end = brackets.closing(index + head.length - 1);
    parts.push(code.slice(at, index), ' '.repeat(end - index));
    at = end;
  }
  return parts.join('') + code.slice(at);
}
