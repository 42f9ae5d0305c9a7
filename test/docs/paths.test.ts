import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const ROOT = join(import.meta.dirname, '../..');
/** Folders that hold no pages of a room; `package/README.md` is for users of the package. */
const IGNORED = /^(node_modules|\.git|\.cache|\.build|package\/README)\b/;
const ROOMS = [...globSync('*/', { cwd: ROOT }), '.ci'].map((room) => room.replace(/\/$/, ''));
/** Folders that a build or a run makes. */
const MADE = /^(\.build|\.cache|\.assay-data)(\/|$)/;
const PATH = /^[\w.*{},/-]+$/;

/** Returns the paths in code spans and links of a page, without commands, package names and placeholders. */
function pathsOf(text: string, folder: string): string[] {
  const prose = text.replace(/```.*?```/gs, '');
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span);
  const links = [...prose.matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, to = '']) => to);
  const isPath = (span: string): boolean =>
    PATH.test(span) &&
    (/\/./.test(span) || /^[\w-]+\/$/.test(span) || /^[\w.-]+\.(md|ts|json|cjs)$/.test(span));
  const known = (path: string): boolean =>
    folder !== '' || ROOMS.includes(path.split('/')[0] ?? '') || !path.includes('/');
  return [
    ...new Set([...spans.filter(isPath).filter(known), ...links.filter((to) => !/^\w+:/.test(to))]),
  ].filter((path) => !MADE.test(path));
}

/** Whether a path or glob exists, from the page's own folder or from the root. Of `{a,b}` each one must exist. */
function exists(path: string, folder: string): boolean {
  const group = /^(.*?)\{([^{}]+)\}(.*)$/.exec(path);
  if (group) {
    const [, before = '', names = '', after = ''] = group;
    return names.split(',').every((name) => exists(`${before}${name}${after}`, folder));
  }
  return [join(ROOT, folder), ROOT].some((cwd) =>
    globSync(path, { cwd }).some((found) => !IGNORED.test(found)),
  );
}

const PAGES = [
  'CONTRIBUTING.md',
  'AGENTS.md',
  ...globSync('*/**/README.md', { cwd: ROOT, exclude: ['**/node_modules/**', 'docs/*/**'] }).filter(
    (page) => !IGNORED.test(page),
  ),
];

describe.each(PAGES.map((page) => [page, page.split('/').slice(0, -1).join('/')]))('%s', (page, folder) => {
  it('names only paths that exist', () => {
    const paths = pathsOf(readFileSync(join(ROOT, page), 'utf8'), folder);
    expect(paths.filter((path) => !exists(path, folder))).toEqual([]);
  });
});

describe('the check of paths', () => {
  it('finds paths in code spans and links, and needs each name of a group', () => {
    const text =
      'See `gates/core/gate.ts`, `npm run check`, `gates/{core,none}`, `a/<id>.md` and [docs](docs/none.md#x).';
    const paths = pathsOf(text, '');
    expect(paths).toEqual(['gates/core/gate.ts', 'gates/{core,none}', 'docs/none.md']);
    expect(paths.map((path) => exists(path, ''))).toEqual([true, false, false]);
  });
});
