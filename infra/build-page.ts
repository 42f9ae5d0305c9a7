import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build } from 'esbuild';
import { WEB_PAGE_HTML_FILE } from '../shared/api/page-paths.ts';

/** A name that changes with the content, so that a browser may keep the file for good. */
const named = (base: string, extension: string, content: Uint8Array): string =>
  `${base}-${createHash('sha256').update(content).digest('hex').slice(0, 12)}.${extension}`;

/** The page's files by name: one script, one style sheet, an icon, and the page that asks for them. */
export async function bundlePage(root: string): Promise<ReadonlyMap<string, Uint8Array>> {
  const source = (file: string) => join(root, 'page', file);
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: { page: source('main.tsx') },
    outdir: join(root, '.build/page'),
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    target: ['es2023', 'chrome120', 'firefox121', 'safari17'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    loader: { '.sql': 'text' },
    legalComments: 'none',
    write: false,
    logLevel: 'warning',
  });
  const [html, icon] = await Promise.all([
    readFile(source('page.html'), 'utf8'),
    readFile(source('icon.svg')),
  ]);
  const parts = [
    ...outputFiles.map(({ path, contents }) => ({ extension: path.replace(/^.*\./, ''), contents })),
    { extension: 'svg', contents: icon },
  ].map(({ extension, contents }) => ({
    from: `page.${extension}`,
    to: named('page', extension, contents),
    contents,
  }));
  const page = parts.reduce((text, { from, to }) => text.replaceAll(`/page/${from}`, `/page/${to}`), html);
  return new Map([
    [WEB_PAGE_HTML_FILE, Buffer.from(page)],
    ...parts.map(({ to, contents }): [string, Uint8Array] => [to, contents]),
  ]);
}
