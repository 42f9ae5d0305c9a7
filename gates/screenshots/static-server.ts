import { createReadStream } from 'node:fs';
import { realpath, stat } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { extname, join, sep } from 'node:path';
import { isAuthenticationLeftToHandler, listenOnLoopback } from '../../shared/lib/loopback-listener.ts';

/** What browsers have to be told of the files that make a page. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.gif': 'image/gif',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff': 'font/woff',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
};

/** The file that a path of a URL names within `root`, with links followed; null: none that lies there. */
export async function resolveServedFile(root: string, path: string): Promise<string | null> {
  try {
    const asked = join(root, decodeURIComponent(path.split(/[?#]/, 1)[0] ?? ''));
    const file = await realpath((await stat(asked)).isDirectory() ? join(asked, 'index.html') : asked);
    return file.startsWith(`${root}${sep}`) && (await stat(file)).isFile() ? file : null;
  } catch {
    return null;
  }
}

/** Serves the files of a folder on loopback, until it is ended. */
export async function serveStaticFolder(folder: string, port: number): Promise<void> {
  const root = await realpath(folder);
  const rule = { servesPages: true, isAuthenticated: isAuthenticationLeftToHandler };
  const serve: RequestListener = async (request, response) => {
    const file = await resolveServedFile(root, request.url ?? '/');
    if (file === null) {
      response.writeHead(404).end('not found');
      return;
    }
    response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
    createReadStream(file)
      .on('error', () => response.destroy())
      .pipe(response);
  };
  await listenOnLoopback(rule, serve, { port });
}
