import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { WEB_PAGE_HTML_FILE } from '../../shared/api/page-paths.ts';
import { sha256 } from '../../shared/lib/sha256.ts';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export interface PageFile {
  readonly type: string;
  readonly text: string;
  /** Of the text with gzip, in base64: API Gateway compresses nothing itself. */
  readonly gzip: string;
  readonly etag: string;
  /** Is its name made of its content, so that it never changes? */
  readonly isImmutable: boolean;
}

/** The files beside the function's own code, by name. Only these are ever served: a request names one, never a path. */
export function loadPageFiles(folder: string): ReadonlyMap<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(folder)) {
    const type = name.startsWith('page') ? TYPES[extname(name)] : undefined;
    if (type === undefined) continue;
    const text = readFileSync(join(folder, name), 'utf8');
    files.set(name, {
      type,
      text,
      gzip: gzipSync(text, { level: 9 }).toString('base64'),
      etag: `"${sha256(text).slice(0, 32)}"`,
      isImmutable: name !== WEB_PAGE_HTML_FILE,
    });
  }
  return files;
}
