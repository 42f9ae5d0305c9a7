import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { COMPLETE_FUNCTION_ENV } from '../../test/support/function-env-values.ts';
import { median } from './statistics.ts';

export interface BundleResult {
  readonly name: string;
  /** Of all its code, also of parts that are loaded when they are used. */
  readonly bytes: number;
  readonly gzip_bytes: number;
  /** Milliseconds to load the bundle in a fresh process of this machine. */
  readonly import_ms: number;
}

const ROUNDS = 9;

/** Loads a bundle as Lambda's runtime does, and says how long that took; Node's own start is not in it. */
const LOAD = `
const begin = process.hrtime.bigint();
globalThis.awslambda = { streamifyResponse: (handler) => handler };
const loaded = require(process.argv[1]);
const end = process.hrtime.bigint();
if (typeof loaded.handler !== 'function') throw new Error('no handler');
console.log(Number(end - begin) / 1e6);
process.exit(0);
`;

/** Any value will do for loading. */
export const BUNDLE_ENVIRONMENT = { PATH: process.env['PATH'] ?? '', ...COMPLETE_FUNCTION_ENV };

/** Its code: one file, or an index with parts that are loaded when they are used. */
const CODE = /\.m?js$/;
const INDEX = /^index\.m?js$/;

/** Size and import time of each function's bundle in `folder` (made by infra/build.ts) */
export function measureBundles(folder: string): BundleResult[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const files = readdirSync(join(folder, name)).filter((each) => CODE.test(each));
      const code = Buffer.concat(files.map((each) => readFileSync(join(folder, name, each))));
      const file = resolve(join(folder, name, files.find((each) => INDEX.test(each)) ?? 'index.js'));
      const times = Array.from({ length: ROUNDS }, () =>
        Number(
          execFileSync(process.execPath, ['-e', LOAD, file], { env: BUNDLE_ENVIRONMENT, encoding: 'utf8' }),
        ),
      );
      return {
        name,
        bytes: code.length,
        gzip_bytes: gzipSync(code, { level: 9 }).length,
        import_ms: median(times),
      };
    });
}
