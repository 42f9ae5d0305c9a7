import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { type BuildOptions, build, type Metafile, type OutputFile } from 'esbuild';
import { GRAMMAR_FILES } from '../gates/code/parsing/grammar-files.ts';
import { CLI_VERSION_PINS_FILE, renderCliVersionPins } from '../shared/contract/agents/adapter-install.ts';
import { bundlePage } from './build-page.ts';
import {
  type BundleDirectories,
  CONTAINER_ENTRY_POINTS,
  type ContainerName,
  getBundleDirectories,
  LAMBDA_ENTRY_POINTS,
} from './bundles.ts';
import { CONTAINER_BUNDLE_PLUGINS } from './container-bundle-plugins.ts';
import { bundleFunctionWithChunks } from './function-bundles.ts';
import { pinBaseImageDigests, readImageLock } from './image-lock.ts';
import { TOOLCHAINS } from './images.ts';

/** Root of the checkout. */
export const REPOSITORY_ROOT = dirname(import.meta.dirname);

/** Programs that a container's own starts, in threads or by themselves; each is bundled under its name, and lies beside it. */
const THREADS = {
  gates: {
    matcher: 'gates/signals/regex-search-worker.ts',
    screenshots: 'gates/screenshots/browser-program.ts',
  },
} as const satisfies Partial<Record<ContainerName, Readonly<Record<string, string>>>>;

/** Files of packages that a container's program reads from beside itself. */
const BESIDE: Readonly<Record<ContainerName, readonly string[]>> = {
  agent: [],
  gates: Object.values(GRAMMAR_FILES).map((file) => `@vscode/tree-sitter-wasm/wasm/${file}`),
};

/** Our own files that a container's image is built with. */
const OWN: Readonly<Record<ContainerName, readonly string[]>> = {
  agent: ['containers/agent/install-clis.ts', 'containers/images/use-mirrors.sh'],
  gates: ['containers/agent/install-clis.ts', 'containers/images/use-mirrors.sh'],
};

const COMMON = {
  absWorkingDir: REPOSITORY_ROOT,
  bundle: true,
  platform: 'node',
  target: 'node24',
  minify: true,
  // Take the ES modules of a package where it has them: only they can be tree-shaken.
  mainFields: ['module', 'main'],
  sourcemap: true,
  // The sources are in git; a map without them keeps the package, and its loading, small.
  sourcesContent: false,
  write: false,
  logLevel: 'warning',
} as const satisfies BuildOptions;

const AS_MODULE = {
  format: 'esm',
  outExtension: { '.js': '.mjs' },
  // CommonJS packages inside an ES module bundle still call `require` for Node's own modules.
  banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
} as const satisfies BuildOptions;

const entries = (sources: Record<string, string>, file: string): Record<string, string> =>
  Object.fromEntries(Object.entries(sources).map(([name, source]) => [`${name}/${file}`, source]));

interface FunctionCode {
  readonly files: readonly Pick<OutputFile, 'path' | 'contents'>[];
  /** What of which source has come into each file: the bench asks. */
  readonly made: Metafile['outputs'];
}

/**
 * The SDK is bundled: it loads faster than Lambda's own copy, and it is the version that the tests run with.
 * CommonJS, because `import … from 'node:http'` in an ES module reads every lazy getter of the builtin at cold start.
 * The package.json keeps the bundle loadable from below this folder too, where the nearest one says "module".
 */
export const bundleFunctions = async (outdir: string): Promise<FunctionCode> => {
  const { judge, deliver, ...others } = LAMBDA_ENTRY_POINTS;
  const common = {
    ...COMMON,
    outdir,
    metafile: true as const,
    alias: { '@aws-sdk/credential-provider-node': './infra/lambda-credentials.ts' },
  };
  const [parted, whole, split] = await Promise.all([
    bundleFunctionWithChunks(common, REPOSITORY_ROOT, outdir, Object.keys(others) as (keyof typeof others)[]),
    // Into its image goes one file.
    build({ ...common, entryPoints: entries({ deliver }, 'index'), format: 'cjs' }),
    // Protocols of five providers, of which a deployment uses one or two: only modules can be loaded when they are used.
    build({
      ...common,
      ...AS_MODULE,
      entryPoints: entries({ judge }, 'index'),
      splitting: true,
      chunkNames: 'judge/[name]-[hash]',
    }),
  ]);
  return {
    files: [...parted.files, ...whole.outputFiles, ...split.outputFiles],
    made: { ...parted.made, ...whole.metafile.outputs, ...split.metafile.outputs },
  };
};

const bundleContainers = (outdir: string) =>
  build({
    ...COMMON,
    entryPoints: {
      ...entries(CONTAINER_ENTRY_POINTS, 'main'),
      ...Object.fromEntries(
        Object.entries(THREADS).flatMap(([container, threads]) =>
          Object.entries(threads).map(([name, source]) => [`${container}/${name}`, source]),
        ),
      ),
    },
    outdir,
    ...AS_MODULE,
    plugins: CONTAINER_BUNDLE_PLUGINS,
    // They also ask where they are.
    define: { __filename: 'import.meta.filename', __dirname: 'import.meta.dirname' },
  });

const { resolve } = createRequire(import.meta.url);

/** Content by path. Only what differs is written, by rename, because several processes may build at the same time. */
async function place(directory: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> {
  await mkdir(directory, { recursive: true });
  for (const present of await readdir(directory))
    if (!files.has(present)) await rm(join(directory, present), { recursive: true, force: true });
  for (const [name, content] of files) {
    const path = join(directory, name);
    const before = await readFile(path).catch(() => null);
    if (before && Buffer.compare(before, content) === 0) continue;
    // Beside the folder, not in it: what is in it becomes part of the asset.
    const temporary = `${directory}-${name}.${process.pid}.tmp`;
    await writeFile(temporary, content);
    await rename(temporary, path);
  }
}

const filesOf = (outputs: FunctionCode['files'], outdir: string, name: string): Map<string, Uint8Array> =>
  new Map(
    outputs
      .filter((output) => dirname(relative(outdir, output.path)) === name)
      .map((output) => [relative(join(outdir, name), output.path), output.contents]),
  );

/** The Dockerfile that lies beside a program, with its base by the digest that is locked. */
const dockerfileOf = async (folder: string): Promise<Buffer> =>
  Buffer.from(
    pinBaseImageDigests(await readFile(join(REPOSITORY_ROOT, folder, 'Dockerfile'), 'utf8'), readImageLock()),
  );

/** The Dockerfile of a box, and for each toolchain one that builds the box upon it. */
async function dockerfilesOf(name: ContainerName): Promise<ReadonlyMap<string, string>> {
  const lock = readImageLock();
  const own = await readFile(
    join(REPOSITORY_ROOT, dirname(CONTAINER_ENTRY_POINTS[name]), 'Dockerfile'),
    'utf8',
  );
  const on = async (toolchain: string): Promise<[string, string]> => {
    const below = await readFile(join(REPOSITORY_ROOT, `containers/images/${toolchain}.Dockerfile`), 'utf8');
    return [
      `Dockerfile.${toolchain}`,
      pinBaseImageDigests(`${below}\n${own.replace(/^FROM .*$/m, 'FROM toolchain')}`, lock),
    ];
  };
  const toolchains = await Promise.all(TOOLCHAINS.map(on));
  return new Map([['Dockerfile', pinBaseImageDigests(own, lock)], ...toolchains]);
}

/**
 * Bundles all functions and containers into `.build/`, the same bytes in every checkout.
 * The embedded default runs these very files, from the cloud assembly that they are copied into.
 */
export async function bundleFunctionsAndContainers(
  target = join(REPOSITORY_ROOT, '.build'),
): Promise<BundleDirectories> {
  const functions = join(target, 'functions');
  const containers = join(target, 'containers');
  const [code, programs, page] = await Promise.all([
    bundleFunctions(functions),
    bundleContainers(containers),
    bundlePage(REPOSITORY_ROOT),
  ]);
  const commonjs = Buffer.from('{"type":"commonjs"}\n');
  await Promise.all([
    ...Object.keys(LAMBDA_ENTRY_POINTS).map(async (name) =>
      place(
        join(functions, name),
        new Map([
          ...filesOf(code.files, functions, name),
          ['package.json', commonjs],
          // What it serves lies beside its code.
          ...(name === 'page' ? page : []),
          // It calls git, so that it runs from an image.
          ...(name === 'deliver' ? [['Dockerfile', await dockerfileOf('functions/deliver')] as const] : []),
        ]),
      ),
    ),
    ...(Object.keys(CONTAINER_ENTRY_POINTS) as ContainerName[]).map(async (name) => {
      const files = filesOf(programs.outputFiles, containers, name);
      for (const [file, text] of await dockerfilesOf(name)) files.set(file, Buffer.from(text));
      for (const file of OWN[name]) files.set(basename(file), await readFile(join(REPOSITORY_ROOT, file)));
      files.set(CLI_VERSION_PINS_FILE, Buffer.from(renderCliVersionPins()));
      for (const file of BESIDE[name]) files.set(basename(file), await readFile(resolve(file)));
      await place(join(containers, name), files);
    }),
  ]);
  return getBundleDirectories(target);
}

if (import.meta.main) await bundleFunctionsAndContainers();
