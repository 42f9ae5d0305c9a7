import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that serve web pages. */
const SERVERS = [
  'next',
  'nuxt',
  'astro',
  'vite',
  'react-scripts',
  '@sveltejs/kit',
  '@angular/core',
  'express',
  'fastify',
  'koa',
  'hono',
];

interface WebApp {
  readonly why: string;
  /** Its settings, as YAML in one line. */
  readonly settings: string;
}

/** Detects a web application and how it is started; null: none. */
export function detectWebApp(dir: string): WebApp | null {
  const { scripts, dependencies, devDependencies } = readPackage(dir);
  const server = SERVERS.find((name) => name in { ...devDependencies, ...dependencies });
  if (server !== undefined && typeof scripts?.['start'] === 'string')
    return {
      why: `${server} serves pages`,
      settings: 'command: npm start',
    };
  return server === undefined && existsSync(join(dir, 'index.html'))
    ? { why: 'index.html exists', settings: 'folder: .' }
    : null;
}

type Mapping = Readonly<Record<string, unknown>>;
function readPackage(dir: string): {
  readonly scripts?: Mapping;
  readonly dependencies?: Mapping;
  readonly devDependencies?: Mapping;
} {
  try {
    const read: unknown = JSON.parse(readFileSync(join(dir, 'package.json'), 'utf8'));
    return typeof read === 'object' && read !== null ? read : {};
  } catch {
    return {};
  }
}
