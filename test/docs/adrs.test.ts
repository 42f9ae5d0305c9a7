import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readAdrs } from '../../docs/generator/adrs.ts';

const ROOT = join(import.meta.dirname, '../..');
const SECTIONS = ['Context', 'Decision', 'Alternatives', 'Consequences'];
/** A title that begins with one of these is a riddle, not a decision. */
const NO_DECISION = /^(?:what|who|whoever|how|why|where|when|which|of|nobody|a|an|the)\b/i;
const MAX_WORDS = 12;

const adrs = readAdrs();
const named = adrs.map((adr) => [adr.file, adr] as const);
const byNumber = new Map(adrs.map((adr) => [adr.number, adr]));
const index = readFileSync(join(ROOT, 'docs/adr/README.md'), 'utf8');

const slug = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/['`]/g, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '');

const sectionsOf = (text: string): string[] =>
  [...text.matchAll(/^## (.+)\n\n\S/gm)].map(([, name = '']) => name);

const successorOf = (status: string): number | null => {
  const [, number] = /^superseded by (\d+)$/.exec(status) ?? [];
  return number === undefined ? null : Number(number);
};

describe('architecture decision records', () => {
  it.each(named)('%s is named after its number and title', (file, { number, title }) => {
    expect(file).toBe(`${String(number).padStart(4, '0')}-${slug(title)}.md`);
  });

  it.each(named)('%s states its decision in a short title', (_, { title }) => {
    expect(title).toMatch(/^[A-Z].*[A-Za-z0-9]$/);
    expect(title).not.toMatch(NO_DECISION);
    expect(title.split(' ').length).toBeLessThanOrEqual(MAX_WORDS);
  });

  it.each(named)(
    '%s has a valid status, which names an accepted record where it is superseded',
    (_, { status }) => {
      expect(status).toMatch(/^(?:accepted|proposed|superseded by \d+)$/);
      const successor = successorOf(status);
      if (successor !== null) expect(byNumber.get(successor)?.status).toBe('accepted');
    },
  );

  it.each(named)('%s has all sections, with text', (_, { status, text }) => {
    const expected =
      successorOf(status) === null ? SECTIONS : SECTIONS.filter((name) => name !== 'Alternatives');
    expect(sectionsOf(text)).toEqual(expected);
  });

  it('are all listed in the index, under their titles', () => {
    const listed = [...index.matchAll(/^\| (\d+) \| \[(.+)\]\((.+)\) \| /gm)].map(([, ...cells]) => cells);
    expect(listed).toEqual(adrs.map(({ number, title, file }) => [String(number), title, file]));
  });
});

interface Reference {
  readonly from: string;
  readonly to: string;
}

const SKIPPED = new Set(['node_modules', 'cdk.out', 'dist', 'coverage']);
const sources = globSync(['**/*.{md,ts,tsx,mjs,cjs,js,yaml,yml}', '**/Dockerfile*'], {
  cwd: ROOT,
  exclude: (path) => SKIPPED.has(path) || path.startsWith('.'),
})
  // Its patterns look like references.
  .filter((path) => path !== relative(ROOT, import.meta.filename))
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

const headings = (text: string): Set<string> =>
  new Set(
    [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
      title
        .toLowerCase()
        .replaceAll(/[^\w\- ]/g, '')
        .replaceAll(' ', '-'),
    ),
  );

/** Returns whether a page exists and has the heading that the reference names. */
function isReachable(path: string): boolean {
  const [file = '', anchor] = path.split('#');
  const page = join(ROOT, file);
  return existsSync(page) && (anchor === undefined || headings(readFileSync(page, 'utf8')).has(anchor));
}

/** Returns the Markdown links of a page that lead to another file of the repository, from the root. */
const linksOf = ({ path, text }: { path: string; text: string }): Reference[] =>
  [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^(?:[a-z]+:|#)/.test(target))
    .map((target) => ({ from: path, to: join(dirname(path), target) }));

/** Returns what a file names as `adr/….md` or `explanation/….md`, from the root. */
const pathsOf = ({ path, text }: { path: string; text: string }): Reference[] =>
  [...text.matchAll(/\b((?:adr|explanation)\/[a-z0-9-]+\.md(?:#[a-z0-9-]+)?)/g)].map(([, target = '']) => ({
    from: path,
    to: join('docs', target),
  }));

describe('references to decisions and explanations', () => {
  it('lead to an existing page and heading, from every file of the repository', () => {
    const references = sources.flatMap(pathsOf);
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter(({ to }) => !isReachable(to))).toEqual([]);
  });

  it('are relative to the page that has them', () => {
    const pages = sources.filter(
      ({ path }) => path.endsWith('.md') && !/^(?:test|docs\/generator)\//.test(path),
    );
    const references = pages
      .flatMap(linksOf)
      .filter(({ from, to }) => /\b(?:adr|explanation)\b/.test(from) || /\b(?:adr|explanation)\//.test(to));
    expect(references.length).toBeGreaterThan(100);
    expect(references.filter(({ to }) => !isReachable(to))).toEqual([]);
  });

  it('name a record that exists, and outside of the records one that is in force', () => {
    const wrong = sources.flatMap(({ path, text }) =>
      [...text.matchAll(/\bADRs? (\d+)\b|\badr\/(\d{4})\b/g)]
        .map(([, word, file]) => Number(word ?? file))
        .filter((number) => {
          const adr = byNumber.get(number);
          return !adr || (successorOf(adr.status) !== null && !path.startsWith('docs/adr/'));
        })
        .map((number) => ({ from: path, to: `ADR ${number}` })),
    );
    expect(wrong).toEqual([]);
  });
});
