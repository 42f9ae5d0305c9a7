import { build } from 'esbuild';
import { beforeAll, describe, expect, it } from 'vitest';
import { LAMBDA_ENTRY_POINTS } from '../../infra/bundles.ts';

type Inputs = Readonly<
  Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
>;
let inputs: Inputs;

/** Our modules that a module loads when it is loaded itself; `await import` loads later. */
function loadedAtStart(file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const { path, kind } of inputs[file]?.imports ?? [])
    if (kind === 'import-statement' && inputs[path]) loadedAtStart(path, seen);
  return seen;
}

beforeAll(async () => {
  const { metafile } = await build({
    entryPoints: Object.values(LAMBDA_ENTRY_POINTS),
    outdir: 'unused',
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    write: false,
    metafile: true,
    logLevel: 'error',
  });
  inputs = metafile.inputs;
});

describe('modules that an API function loads before its first request', () => {
  // Most that are allowed: a limit that is reached asks for an `await import`, or for a look at what the new import is for.
  it.each([
    ['api-submit', 285],
    ['api-authorizer', 131],
    ['api-upload', 186],
    ['api-evidence', 196],
    ['api-webhook', 208],
    ['api-work', 225],
    ['api-read', 283],
  ] as const)('%s: at most %i', (name, most) => {
    expect(loadedAtStart(LAMBDA_ENTRY_POINTS[name]).size).toBeLessThanOrEqual(most);
  });
});
