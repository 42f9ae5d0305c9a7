import { join, relative, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin, transform } from 'esbuild';
import { SHARED_BUNDLE_CHUNK_FILE_PREFIX } from '../shared/contract/resource-names.ts';
import { LAMBDA_ENTRY_POINTS, type ServiceFunctionName } from './bundles.ts';

/** A file of a function, by its path. */
interface CodeFile {
  readonly path: string;
  readonly contents: Uint8Array;
}

/**
 * Packages that nearly all functions have, and that keep nothing of whom they work for: what they know of a function is in the objects that
 * it makes of them.
 */
const IN_PARTS = /^(?:@aws-sdk\/|@smithy\/|@aws-lambda-powertools\/parameters\/|(?:zod|re2js)(?:\/|$))/;

/** They stay imports, and one of which nothing is used goes. */
const PACKAGES_OUTSIDE: Plugin = {
  name: 'packages-outside',
  setup({ onResolve }) {
    onResolve({ filter: IN_PARTS }, ({ path }) => ({ path, external: true, sideEffects: false }));
  },
};

const OWN = 'own';

/** What was made of each function by itself, as a source again. */
const givenSources = (texts: ReadonlyMap<string, string>, resolveDir: string): Plugin => ({
  name: 'given-sources',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^own:/ }, ({ path }) => ({ path: path.slice(OWN.length + 1), namespace: OWN }));
    onLoad({ filter: /./, namespace: OWN }, ({ path }) => ({ contents: texts.get(path) ?? '', resolveDir }));
  },
});

/** A file with all that it imports, at once or later. */
function closure(outputs: Metafile['outputs'], path: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  for (const { path: imported, external } of outputs[path]?.imports ?? [])
    if (!external) closure(outputs, imported, seen);
  return seen;
}

/**
 * Bundles functions as an index with their own code and parts with the packages of several, which all that have them have alike. First each by
 * itself, so that it reaches only what it uses of packages; then the packages of all together. The parts are split as ES modules, as esbuild
 * splits nothing else, and made CommonJS then.
 */
export async function bundleFunctionWithChunks(
  common: BuildOptions,
  root: string,
  outdir: string,
  names: readonly ServiceFunctionName[],
): Promise<{ readonly files: readonly CodeFile[]; readonly made: Metafile['outputs'] }> {
  // As deep as the folder of each function, as maps name sources by their way from there.
  const folder = join(outdir, OWN);
  const pass = {
    ...common,
    outdir: folder,
    format: 'esm',
    metafile: true,
    write: false,
    sourcemap: 'inline',
  } as const;
  const own = await build({
    ...pass,
    entryPoints: Object.fromEntries(names.map((name) => [name, LAMBDA_ENTRY_POINTS[name]])),
    plugins: [PACKAGES_OUTSIDE],
  });
  const texts = new Map(own.outputFiles.map(({ path, text }) => [relative(folder, path).slice(0, -3), text]));
  const whole = await build({
    ...pass,
    splitting: true,
    chunkNames: `${SHARED_BUNDLE_CHUNK_FILE_PREFIX}[hash]`,
    entryPoints: Object.fromEntries(names.map((name) => [name, `${OWN}:${name}`])),
    plugins: [givenSources(texts, root)],
  });
  const { target, sourcesContent = true } = common;
  const commonJs = new Map(
    await Promise.all(
      whole.outputFiles.map(async ({ path, text }) => {
        const code = await transform(text, {
          format: 'cjs',
          platform: 'node',
          minify: true,
          sourcemap: 'external',
          sourcesContent,
          sourcefile: relative(folder, path),
          ...(target && { target }),
          // What is imported when it is used is required then, as all that a function loads.
          supported: { 'dynamic-import': false },
        });
        return [relative(root, path), code] as const;
      }),
    ),
  );
  const files: CodeFile[] = [];
  const made: Metafile['outputs'] = {};
  for (const name of names) {
    const entry = relative(root, join(folder, `${name}.js`));
    for (const path of closure(whole.metafile.outputs, entry)) {
      const [code, about] = [commonJs.get(path), whole.metafile.outputs[path]];
      if (!code || !about) throw new Error(`${path} was not made`);
      const file = path === entry ? 'index.js' : relative(folder, resolve(root, path));
      const placed = join(outdir, name, file);
      files.push(
        { path: placed, contents: Buffer.from(`${code.code}//# sourceMappingURL=${file}.map\n`) },
        { path: `${placed}.map`, contents: Buffer.from(code.map) },
      );
      const inputs =
        path === entry ? { ...about.inputs, ...own.metafile.outputs[entry]?.inputs } : about.inputs;
      made[relative(root, placed)] = { ...about, bytes: code.code.length, inputs };
    }
  }
  return { files, made };
}
