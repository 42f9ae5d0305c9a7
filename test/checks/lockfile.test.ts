import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

interface Lock {
  packages: Record<string, { optionalDependencies?: Record<string, string>; resolved?: string }>;
}
const lock = JSON.parse(readFileSync(join(import.meta.dirname, '../../package-lock.json'), 'utf8')) as Lock;

test('the lock file has every optional package, because `npm ci` refuses to install without', () => {
  const locked = new Set(Object.keys(lock.packages).map((path) => path.split('node_modules/').at(-1)));
  const missing = Object.values(lock.packages)
    .flatMap(({ optionalDependencies = {} }) => Object.keys(optionalDependencies))
    .filter((name) => !locked.has(name));
  expect(missing).toEqual([]);
});

test('the lock file names no registry, so that it works behind any', () => {
  expect(Object.values(lock.packages).filter(({ resolved }) => resolved?.startsWith('http'))).toEqual([]);
});
