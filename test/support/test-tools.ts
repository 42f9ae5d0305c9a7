import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { vi } from 'vitest';
import { createTemporaryFolder } from './git-repository.ts';

/** Where `.ci/run` installs the tools of other languages. */
const INSTALLED = join(import.meta.dirname, '../../.cache/tools/bin');
/** Where it installs those of JavaScript: they are found through the `node_modules` of a checkout, not on the path. */
const MODULES = join(import.meta.dirname, '../../.cache/tools/js/node_modules');
/** Our own. */
const OWN_MODULES = join(import.meta.dirname, '../../node_modules');
/** The set-up with which a checkout gets the tools of JavaScript that were installed for the tests, or those that we use. */
export const JS_TOOLS_SETUP = `ln -s '${MODULES}' node_modules`;
export const OWN_TOOLS_SETUP = `ln -s '${OWN_MODULES}' node_modules`;
process.env['PATH'] = `${INSTALLED}${delimiter}${process.env['PATH'] ?? ''}`;

const inShell = (line: string): string | null => {
  try {
    return execFileSync('bash', ['-c', line], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return null;
  }
};

/** Path of a program; null when it is not here. `js:` stands before those of JavaScript, `own:` before those that we use. */
export function findProgram(program: string): string | null {
  const [, modules, name] = /^(js|own):(.+)$/.exec(program) ?? [];
  if (name === undefined) return inShell(PLUGINS[program] ?? `command -v ${program}`);
  const folder = modules === 'js' ? MODULES : OWN_MODULES;
  return inShell(`command -v '${folder}/.bin/${name}' || ls '${folder}/${name}/package.json'`);
}

/** Plugins are no programs; they are here when their options are. */
const PLUGINS: Readonly<Record<string, string>> = {
  'pytest-cov': 'pytest --help | grep -e --cov=',
  'pytest-benchmark': 'pytest --help | grep -e --benchmark-json',
};

/** Programs that some cases need and that are not here; said aloud, because what is skipped is not tested. */
export function listMissingPrograms(cases: readonly { readonly needs: string }[]): string[] {
  const missing = [...new Set(cases.map(({ needs }) => needs))].filter(
    (program) => findProgram(program) === null,
  );
  const skipped = cases.filter(({ needs }) => missing.includes(needs)).length;
  if (skipped > 0) console.warn(`SKIPPED ${skipped} tests of real tools for want of ${missing.join(', ')}`);
  return missing;
}

/** Gates start Go with an empty build cache, which takes a minute; here it gets the cache of this machine. */
export function warmToolchains(): void {
  const go = findProgram('go');
  if (go === null) return;
  const folder = createTemporaryFolder();
  const cache = inShell('go env GOCACHE') ?? '';
  writeFileSync(join(folder, 'go'), `#!/bin/sh\nGOCACHE='${cache}' exec '${go}' "$@"\n`);
  chmodSync(join(folder, 'go'), 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
}
