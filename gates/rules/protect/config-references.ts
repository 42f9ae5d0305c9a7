import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../../workspace/git/git-store.ts';
import { isRegularFile, type ListedFile } from '../../../workspace/git/list-files.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import { extractToolSettings } from './package-json.ts';
import { findFileProtection } from './protection-lookup.ts';

/** Most configuration files that are read, largest one in bytes, and how far one leads to the next. */
const MAX_FILES = 400;
const MAX_BYTES = 128 * 1_024;
const MAX_STEPS = 4;

/** Kinds of configuration that name other files. */
const NAMES_OTHERS = /\.(?:json[c5]?|[cm]?[jt]s|ya?ml|toml|ini|cfg|py)$|(?:^|\/)\.[a-z]+rc$/i;
/** Reasons of files that lead to nothing of the project's own. */
const FOREIGN = new Set(['installed tools', 'results of earlier runs, which tools believe']);

/**
 * Files that the configuration of the base loads by name: what it extends, set-up files, plugins, runners and what its code
 * imports. They steer the checks as much as the configuration does. Paths that do not exist are among them, because a file
 * that is added there is found instead of the one that is meant.
 */
export async function findReferencedFiles(
  store: GitStore,
  files: readonly ListedFile[],
): Promise<ReadonlySet<string>> {
  const byPath = new Map(files.filter(isRegularFile).map((file) => [file.path, file]));
  const referenced = new Set<string>();
  let step = [...byPath.values()].filter(({ path }) => {
    const rule = findFileProtection(path);
    return rule !== null && !FOREIGN.has(rule.reason) && NAMES_OTHERS.test(path);
  });
  const seen = new Set<string>();
  for (let steps = 0; steps < MAX_STEPS && step.length > 0 && seen.size < MAX_FILES; steps++) {
    const readable = step
      .filter(({ path, size }) => !seen.has(path) && (size ?? 0) <= MAX_BYTES)
      .slice(0, MAX_FILES - seen.size);
    for (const { path } of readable) seen.add(path);
    const texts = await textsOf(store, readable);
    const found = readable.flatMap(({ path, id }) => extractReferencedPaths(path, texts.get(id) ?? ''));
    for (const path of found) referenced.add(path);
    step = found.flatMap((path) => byPath.get(path) ?? []);
  }
  return referenced;
}

async function textsOf(store: GitStore, files: readonly ListedFile[]): Promise<Map<string, string>> {
  try {
    const blobs = await readBlobs(
      store,
      files.map(({ id }) => id),
    );
    return new Map([...blobs].map(([id, bytes]) => [id, bytes.toString('utf8')]));
  } catch (error) {
    if (error instanceof CheckoutError) return new Map();
    throw error;
  }
}

/** Keys whose values are files that a tool loads. Their values are looked for within this many characters. */
const KEYS =
  /["']?\b(?:extends|setupFiles(?:AfterEnv)?|setupFilesAfterEach|globalSetup|globalTeardown|setupFile|supportFile|testEnvironment|testRunner|testSequencer|testResultsProcessor|snapshotSerializers|snapshotResolver|runner|reporters?|transform|preset|resolver|require|import|loader|plugins?|jsPlugins|rulePaths|rulesDirectory)\b["']?\s{0,5}[:=]/g;
const WITHIN = 600;
const STRINGS = /["'`]([^"'`\n]{1,300})["'`]/g;
const IMPORTS =
  /(?:\bfrom|\bimport|\brequire\s{0,5}\(|\bimport\s{0,5}\()\s{0,5}["'](\.{1,2}\/[^"'\n]{1,300})["']/g;
/** Modules of Python that pytest and others load: `pytest_plugins = [...]`, `-p name`, `plugins = name`. */
const MODULES = /\bpytest_plugins\b\s{0,5}=|(?:^|[\s"'])-p[ =]?(?=[\w.])|\bplugins\s{0,5}=/gm;
const DOTTED = /[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){0,8}/g;

/** Folders of the work itself: what a configuration imports from there is what is to be tested. */
const WORK = /(?:^|\/)(?:src|lib|app|source|dist|build)\//;

/** Where the names that stand in a configuration may lead, as paths from the root. */
export function extractReferencedPaths(path: string, content: string): string[] {
  // What a package exports and depends on is the work.
  const text = /(?:^|\/)package\.json$/i.test(path) ? extractToolSettings(content) : content;
  const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const found: string[] = [];
  for (const match of text.matchAll(KEYS)) {
    const from = match.index + match[0].length;
    for (const [, value = ''] of valueAt(text, from).matchAll(STRINGS))
      found.push(...candidates(folder, value.replace(/^<rootDir>\//, './')));
  }
  for (const [, value = ''] of text.matchAll(IMPORTS))
    found.push(...candidates(folder, value).filter((each) => !WORK.test(each)));
  if (/\.(?:py|toml|ini|cfg)$/.test(path))
    for (const match of text.matchAll(MODULES)) {
      const from = match.index + match[0].length;
      const value = match[0].trim().startsWith('-p')
        ? text.slice(from, from + 200).split(/[\s"']/, 1)[0]
        : valueAt(text, from);
      for (const [name] of (value ?? '').matchAll(DOTTED))
        if (name.endsWith('.py')) found.push(...candidates(folder, name));
        else {
          const module = name.replaceAll('.', '/');
          for (const each of [module, joined(folder, module) ?? module])
            found.push(`${each}.py`, `${each}/__init__.py`);
        }
    }
  return [...new Set(found)];
}

/** The value behind a key: a list, a table or what is on its line. */
function valueAt(text: string, from: number): string {
  const value = text.slice(from, from + WITHIN).trimStart();
  const close = value[0] === '[' ? ']' : value[0] === '{' ? '}' : '\n';
  const end = value.indexOf(close);
  return end < 0 ? value : value.slice(0, end);
}

const ENDINGS = [
  '',
  '.js',
  '.cjs',
  '.mjs',
  '.ts',
  '.cts',
  '.mts',
  '.jsx',
  '.tsx',
  '.json',
  '/index.js',
  '/index.ts',
];

const FILE = /\.(?:[cm]?[jt]sx?|json|py)$/;

/** Paths that a name may stand for; none for a package. */
function candidates(folder: string, name: string): string[] {
  if (!name.startsWith('.') && !name.includes('/') && !FILE.test(name)) return [];
  if (name.startsWith('@') || name.startsWith('/') || name.includes(':')) return [];
  const path = joined(folder, name);
  return path === null ? [] : ENDINGS.map((ending) => `${path}${ending}`);
}

/** Null when it leads out of the repository. */
function joined(folder: string, name: string): string | null {
  const parts = folder === '' ? [] : folder.split('/');
  for (const part of name.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? null : parts.join('/');
}
