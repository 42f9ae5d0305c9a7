/** `npm run package`: makes the package that is published in `.build/package`, and with `--pack FOLDER` its tarball. */
import { spawnSync } from 'node:child_process';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { type BuildOptions, build } from 'esbuild';
import { GRAMMAR_FILES } from '../gates/code/parsing/grammar-files.ts';
import { bundleFunctionsAndContainers, REPOSITORY_ROOT } from '../infra/build.ts';
import {
  CONTAINER_ENTRY_POINTS,
  type ContainerName,
  LAMBDA_ENTRY_POINTS,
  type ServiceFunctionName,
} from '../infra/bundles.ts';
import { manifest, PEERS } from './manifest.ts';
import { configTypes, constructTypes } from './types.ts';

export const OUT = join(REPOSITORY_ROOT, '.build/package');

const COMMON = {
  absWorkingDir: REPOSITORY_ROOT,
  bundle: true,
  platform: 'node',
  target: 'node22',
  format: 'esm',
  minify: true,
  // Stack traces of users name our functions.
  keepNames: true,
  mainFields: ['module', 'main'],
  external: PEERS.flatMap((name) => [name, `${name}/*`]),
  banner: { js: "import{createRequire as __r}from'node:module';const require=__r(import.meta.url);" },
  define: { __filename: 'import.meta.filename', __dirname: 'import.meta.dirname' },
  logLevel: 'warning',
} as const satisfies BuildOptions;

/** The command: what a subcommand needs is a chunk that is loaded for it alone. All chunks lie in one folder, with the files that they read. */
const bundleCli = () =>
  build({
    ...COMMON,
    outdir: join(OUT, 'cli'),
    entryPoints: { main: 'cli/main.ts', 'run-cli': 'cli/run-cli.ts', io: 'cli/io.ts' },
    splitting: true,
    chunkNames: '[name]-[hash]',
  });

const bundleRest = () =>
  Promise.all([
    build({
      ...COMMON,
      outfile: join(OUT, 'cli/matcher.mjs'),
      entryPoints: ['gates/signals/regex-search-worker.ts'],
    }),
    build({
      ...COMMON,
      outfile: join(OUT, 'cli/screenshots.mjs'),
      entryPoints: ['gates/screenshots/browser-program.ts'],
    }),
    build({
      ...COMMON,
      outfile: join(OUT, 'infra/construct.js'),
      entryPoints: ['infra/assay-construct.ts'],
    }),
  ]);

/** Bundles of functions and boxes, without source maps: they are larger than the code. */
async function placeBundles(): Promise<void> {
  const { functionDirectory, imageDirectory } = await bundleFunctionsAndContainers();
  const noMaps = { recursive: true, filter: (path: string) => !path.endsWith('.map') };
  for (const name of Object.keys(LAMBDA_ENTRY_POINTS) as ServiceFunctionName[])
    await cp(functionDirectory(name), join(OUT, 'bundles/functions', name), noMaps);
  for (const name of Object.keys(CONTAINER_ENTRY_POINTS) as ContainerName[])
    await cp(imageDirectory(name), join(OUT, 'bundles/containers', name), noMaps);
}

/** Files that the bundles read from beside themselves, and those for people. */
async function placeFiles(): Promise<void> {
  const { resolve: find } = createRequire(import.meta.url);
  for (const file of Object.values(GRAMMAR_FILES)) {
    const path = find(`@vscode/tree-sitter-wasm/wasm/${file}`);
    await cp(path, join(OUT, 'cli', basename(path)));
  }
  for (const folder of ['cli', 'infra'])
    await cp(join(REPOSITORY_ROOT, 'shared/control/ledger/queries'), join(OUT, folder, 'queries'), {
      recursive: true,
    });
  await mkdir(join(OUT, 'bin'), { recursive: true });
  await cp(join(REPOSITORY_ROOT, 'package/assay.js'), join(OUT, 'bin/assay.js'));
  await cp(join(REPOSITORY_ROOT, 'package/README.md'), join(OUT, 'README.md'));
  for (const file of ['LICENSE', 'CHANGELOG.md']) await cp(join(REPOSITORY_ROOT, file), join(OUT, file));
}

async function placeTypes(): Promise<void> {
  const types = join(OUT, 'types');
  await mkdir(types, { recursive: true });
  await writeFile(join(types, 'config.d.ts'), await configTypes());
  await writeFile(join(types, 'construct.d.ts'), await constructTypes());
  for (const file of ['assay.schema.json', 'events.schema.json'])
    await cp(join(REPOSITORY_ROOT, 'docs', file), join(types, file));
}

/** Makes the folder that is packed. */
export async function buildPackage(): Promise<void> {
  await rm(OUT, { recursive: true, force: true });
  await mkdir(OUT, { recursive: true });
  await Promise.all([bundleCli(), bundleRest(), placeBundles(), placeFiles(), placeTypes()]);
  await writeFile(join(OUT, 'package.json'), `${JSON.stringify(manifest(), null, 2)}\n`);
}

/** Packs it. @returns path of the tarball */
export async function pack(destination: string): Promise<string> {
  await buildPackage();
  await mkdir(destination, { recursive: true });
  const { stdout, stderr, status } = spawnSync(
    'npm',
    ['pack', OUT, '--json', '--pack-destination', resolve(destination)],
    { encoding: 'utf8', shell: process.platform === 'win32' },
  );
  if (status !== 0) throw new Error(`npm pack failed: ${stderr}`);
  const [{ filename }] = JSON.parse(stdout) as [{ filename: string }];
  return join(resolve(destination), filename);
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { pack: { type: 'string' } } });
  if (values.pack !== undefined) process.stdout.write(`${await pack(values.pack)}\n`);
  else {
    await buildPackage();
    process.stdout.write(`${OUT}\n`);
  }
}
