import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { median } from './statistics.ts';

export interface BundleFigures {
  readonly name: string;
  readonly bytes: number;
  readonly gzip_bytes: number;
  /** Milliseconds to load the bundle in a fresh process of this machine. */
  readonly import_ms: number;
}

const ROUNDS = 9;

/** Loads a bundle as Lambda's runtime does, and says how long that took; Node's own start is not in it. */
const LOAD = `
const begin = process.hrtime.bigint();
const loaded = require(process.argv[1]);
const end = process.hrtime.bigint();
if (typeof loaded.handler !== 'function') throw new Error('no handler');
console.log(Number(end - begin) / 1e6);
process.exit(0);
`;

/** Any value will do for loading; what is JSON or a URL gets one that parses. */
const environment = (names: readonly string[]): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
  ...Object.fromEntries(names.map((name) => [name, 'https://bench.invalid/'])),
  ASSAY_TIER_MODELS: '{"haiku":"h","sonnet":"s","opus":"o"}',
  ASSAY_DEFAULT_ADAPTER: '{"kind":"command","argv":["true"]}',
  ASSAY_AGENT_CLIS: '[]',
  ASSAY_MODEL_VENDORS: '[]',
  ASSAY_MODEL_PROVIDERS: '{}',
  ASSAY_JUDGE_MODELS: '{}',
  ASSAY_JUDGES_KNOWN: '{}',
  ASSAY_APPROVAL_RULES: '{}',
  ASSAY_HOLD_LIMIT: '{"days":14,"outcome":"fail"}',
  ASSAY_LEASE_SECONDS: '120',
  ASSAY_NUDGE_THRESHOLD: '0.3',
  ASSAY_NUDGE_MIN_COMPLETIONS: '3',
});

/** Size and import time of each function's bundle in `folder` (made by infra/build.ts). */
export function measureBundles(folder: string, names: readonly string[]): BundleFigures[] {
  const env = environment(names);
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const file = resolve(join(folder, name, 'index.js'));
      const code = readFileSync(file);
      const times = Array.from({ length: ROUNDS }, () =>
        Number(execFileSync(process.execPath, ['-e', LOAD, file], { env, encoding: 'utf8' })),
      );
      return {
        name,
        bytes: code.length,
        gzip_bytes: gzipSync(code, { level: 9 }).length,
        import_ms: median(times),
      };
    });
}
