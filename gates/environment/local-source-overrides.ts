import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EnvironmentPreparationError } from '../core/sandbox-extension.ts';

/** Options of Go that put other sources in the place of the checkout's. */
const REDIRECTING_GO_FLAG = /^-?-(?:modfile|overlay|C|pkgdir)(?:=|$)/;

/** Returns the flags of GOFLAGS that leave the sources where they are. */
const removeRedirectingGoFlags = (flags: string): string =>
  flags
    .split(/\s+/)
    .filter((flag) => flag !== '' && !REDIRECTING_GO_FLAG.test(flag))
    .join(' ');

/**
 * Keeps settings of this machine from leading Go to other sources than those of the checkout.
 * @param paths files of the tree.
 */
export function buildGoEnvironmentVariables(paths: readonly string[]): Record<string, string> {
  if (!paths.some((path) => /(?:^|\/)go\.mod$/.test(path))) return {};
  const flags = process.env['GOFLAGS'];
  return {
    // Without one in the tree, a workspace could only lie above the checkout.
    ...(paths.some((path) => /(?:^|\/)go\.work$/.test(path)) ? {} : { GOWORK: 'off' }),
    ...(flags === undefined ? {} : { GOFLAGS: removeRedirectingGoFlags(flags) }),
  };
}

/** Sections and keys with which Cargo takes crates from other places. */
const REDIRECTS_CRATES = /^[ \t]*(?:paths\s*=|\[patch\b|patch\.)/m;

/** @throws EnvironmentError if the settings of this machine replace crates by local sources. */
export async function assertCargoUsesCheckout(paths: readonly string[]): Promise<void> {
  const home = process.env['CARGO_HOME'];
  if (home === undefined || !paths.some((path) => /(?:^|\/)Cargo\.toml$/.test(path))) return;
  for (const name of ['config.toml', 'config']) {
    const file = join(home, name);
    const text = await readFile(file, 'utf8').catch(() => '');
    if (REDIRECTS_CRATES.test(text))
      throw new EnvironmentPreparationError(
        `${file} replaces crates by local sources (\`paths\` or \`[patch]\`), so a build would not use those of the checkout. Remove that setting`,
      );
  }
}
