import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Packages that serve pages. */
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
  readonly how: (setup: string | null) => string;
}

/** Whether there seems to be an application with pages, and how it is started; null: nothing looks like one. */
export function webApp(dir: string): WebApp | null {
  const { scripts, dependencies, devDependencies } = packageOf(dir);
  const server = SERVERS.find((name) => name in { ...devDependencies, ...dependencies });
  if (server !== undefined && typeof scripts?.['start'] === 'string')
    return {
      why: `${server} serves pages`,
      how: (setup) => `command: ${JSON.stringify(`${setup === null ? '' : `${setup} && `}npm start`)}`,
    };
  return server === undefined && existsSync(join(dir, 'index.html'))
    ? { why: 'index.html is here', how: () => 'folder: .' }
    : null;
}

type Mapping = Readonly<Record<string, unknown>>;
function packageOf(dir: string): {
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
