import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { bundleFunctions, bundleFunctionsAndContainers, REPOSITORY_ROOT } from '../../infra/build.ts';
import { BUNDLE_ENVIRONMENT, type BundleResult, measureBundles } from './bundles.ts';
import { formatMs, type ResultSection } from './result-page.ts';
import { median } from './statistics.ts';

const ROUNDS = 9;
/** Packages that speak with providers, and our own code that asks and reads answers. */
const CLIENTS = /^node_modules\/(?:ai|@ai-sdk\/[^/]+|@openrouter\/[^/]+)\//;
const OWN = /^shared\/reviews\//;

interface FunctionShare extends BundleResult {
  /** Bytes of it that come from the packages of providers, and from our own code about judging. */
  readonly clients: number;
  readonly own: number;
}
interface ProviderResult {
  readonly provider: string;
  /** Bytes that are loaded beyond the function's start, and the median time that it takes in a fresh process. */
  readonly bytes: number;
  readonly import_ms: number;
}
export interface JudgingFunctionResult {
  readonly functions: readonly FunctionShare[];
  readonly providers: readonly ProviderResult[];
}

type Made = Awaited<ReturnType<typeof bundleFunctions>>['made'];

/** Bytes of the sources that `wanted` names in all code of a function. */
function bytesOf(made: Made, target: string, name: string, wanted: RegExp): number {
  let sum = 0;
  for (const [file, { inputs }] of Object.entries(made))
    if (resolve(REPOSITORY_ROOT, file).startsWith(join(target, 'functions', name, '/')))
      for (const [source, { bytesInOutput }] of Object.entries(inputs))
        if (wanted.test(source)) sum += bytesInOutput;
  return sum;
}

/** A file with all that it loads at once, by path from the checkout. */
function closure(made: Made, file: string, seen = new Set<string>()): Set<string> {
  if (seen.has(file) || !made[file]) return seen;
  seen.add(file);
  for (const { path, kind } of made[file].imports) if (kind === 'import-statement') closure(made, path, seen);
  return seen;
}

const LOAD = `
import { pathToFileURL } from 'node:url';
const [index, further] = process.argv.slice(1).map((file) => pathToFileURL(file).href);
await import(index);
const begin = process.hrtime.bigint();
await import(further);
console.log(Number(process.hrtime.bigint() - begin) / 1e6);
process.exit(0);
`;

/** What the first question to each provider loads: they are loaded when they are used. */
function providersOf(made: Made): ProviderResult[] {
  const index = Object.keys(made).find((file) => /\/judge\/index\.mjs$/.test(file)) ?? '';
  const atStart = closure(made, index);
  return Object.entries(made).flatMap(([file, { entryPoint }]) => {
    const provider = /node_modules\/(@ai-sdk\/[^/]+|@openrouter\/[^/]+)\//.exec(entryPoint ?? '')?.[1];
    if (!provider || file.endsWith('.map')) return [];
    const further = [...closure(made, file)].filter((each) => !atStart.has(each));
    const times = Array.from({ length: ROUNDS }, () =>
      Number(
        execFileSync(
          process.execPath,
          [
            '--input-type=module',
            '-e',
            LOAD,
            resolve(REPOSITORY_ROOT, index),
            resolve(REPOSITORY_ROOT, file),
          ],
          { env: BUNDLE_ENVIRONMENT, encoding: 'utf8' },
        ),
      ),
    );
    return [
      {
        provider,
        bytes: further.reduce((sum, each) => sum + (made[each]?.bytes ?? 0), 0),
        import_ms: median(times),
      },
    ];
  });
}

/** What the function that judges loads, what its providers load, and how much of either is in the other functions. */
export async function benchJudgingFunction(): Promise<JudgingFunctionResult> {
  mkdirSync(join(REPOSITORY_ROOT, '.cache'), { recursive: true });
  const target = mkdtempSync(join(REPOSITORY_ROOT, '.cache', 'bench-'));
  try {
    await bundleFunctionsAndContainers(target);
    const folder = join(target, 'functions');
    const { made } = await bundleFunctions(folder);
    const figures = measureBundles(folder);
    return {
      functions: figures.map((each) => ({
        ...each,
        clients: bytesOf(made, target, each.name, CLIENTS),
        own: bytesOf(made, target, each.name, OWN),
      })),
      providers: providersOf(made),
    };
  } finally {
    rmSync(target, { recursive: true });
  }
}

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} KB`;

export function renderJudgingFunctionSections({
  functions,
  providers,
}: JudgingFunctionResult): ResultSection[] {
  const others = functions.filter(({ name }) => name !== 'judge');
  const rows = functions
    .filter(({ name, own }) => name === 'judge' || own > 0)
    .toSorted((a, b) => b.own + b.clients - a.own - a.clients);
  return [
    [
      `The function that judges, and what of judging is in the ${others.length} others (all others: 0)`,
      [
        ['function', 'code', 'gzip', 'import', "of it providers' packages", 'of it our own judging'],
        ...rows.map(({ name, bytes, gzip_bytes, import_ms, clients, own }) => [
          name,
          kilobytes(bytes),
          kilobytes(gzip_bytes),
          formatMs(import_ms),
          kilobytes(clients),
          kilobytes(own),
        ]),
      ],
    ],
    [
      'What its first question loads beyond that, by provider',
      [
        ['package', 'code', 'import'],
        ...providers.map(({ provider, bytes, import_ms }) => [
          provider,
          kilobytes(bytes),
          formatMs(import_ms),
        ]),
      ],
    ],
  ];
}
