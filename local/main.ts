/** `node local/main.ts --data DIR [--port N] [--setting NAME=VALUE]… [--json] [--verbose]`: runs Assay on this machine until it is told to stop. */
import module from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { CONTAINER_ENV_NAMES } from '../shared/contract/resource-names.ts';
import { takeForgeSecret } from './forge-secret.ts';
import { takeGitSecret } from './git-secret.ts';
import type { Lent } from './lent.ts';
import { lentSettings } from './lent-settings.ts';
import { takeModelKeys } from './model-keys.ts';

const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, '.cache');
const USAGE = `usage: node local/main.ts --data DIR [--port N] [--setting NAME=VALUE]… [--json] [--verbose]

  --data DIR   directory with all state; made when it is missing, gone on with when it is not
  --port N     port of the API on 127.0.0.1; 0: any that is free; that of the last time, or any, when it is not given
  --setting S  NAME=VALUE: a setting of the deployment (docs/deploy.md), without what goes before its name there; may be given again
  --json       print one line of JSON when the stack is ready (the default; kept for clarity in scripts)
  --verbose    write the logs of the functions and of the engines to standard error

AWS_ENDPOINT_URL_DYNAMODB, _SQS and _S3 put another engine in the place of the embedded one.
`;

function usageError(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

/** @throws TypeError that names what is no setting */
const settingOf = (text: string): [string, string] => {
  const at = text.indexOf('=');
  if (at < 1) throw new TypeError(`--setting must be NAME=VALUE, not ${text}`);
  return [text.slice(0, at), text.slice(at + 1)];
};

interface Arguments {
  readonly data: string;
  readonly port: number | undefined;
  readonly verbose: boolean;
  readonly settings: Readonly<Record<string, string>>;
}

function readArguments(): Arguments {
  const flag = { type: 'boolean', default: false } as const;
  const options = {
    data: { type: 'string' },
    port: { type: 'string' },
    setting: { type: 'string', multiple: true },
    json: flag,
    verbose: flag,
  } as const;
  try {
    const { values } = parseArgs({ options });
    const port = values.port === undefined ? undefined : Number(values.port);
    if (values.data === undefined) return usageError('--data is missing');
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port < 65_536)) {
      return usageError(`--port must be a number from 1 to 65535, or 0 for a free one, not ${values.port}`);
    }
    const settings = Object.fromEntries((values.setting ?? []).map(settingOf));
    return { data: resolve(values.data), port, verbose: values.verbose, settings };
  } catch (error) {
    return usageError(error instanceof Error ? error.message : String(error));
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

function lentSecrets(): Lent {
  try {
    return { ...takeGitSecret(process.env), ...takeForgeSecret(process.env) };
  } catch (error) {
    return fail(error);
  }
}

const { data, port, verbose, settings } = readArguments();
// Before anything else is started.
const lent = { ...takeModelKeys(process.env), ...lentSecrets(), ...lentSettings(process.env) };
const onError = (message: string): void => {
  process.stderr.write(`${message}\n`);
};
const onLog = (line: string): void => {
  if (verbose) onError(line);
};
module.enableCompileCache(join(CACHE, 'compiled'));
// The boxes are programs of a megabyte that live for less than a second: compiling them is a good part of it.
process.env['NODE_COMPILE_CACHE'] = join(CACHE, 'compiled');
process.on('uncaughtException', (error) => fail(error.stack));
const [{ prepareCloudAssembly }, { startStack }] = await Promise.all([
  import('./cloud-assembly.ts'),
  import('./stack.ts'),
]);
const assembly = await prepareCloudAssembly({ root: ROOT, cache: CACHE, settings, onLog }).catch(fail);
const stack = await startStack({
  dataDir: data,
  assembly,
  cache: CACHE,
  port,
  lent,
  engines: {
    DYNAMODB: process.env['AWS_ENDPOINT_URL_DYNAMODB'],
    SQS: process.env['AWS_ENDPOINT_URL_SQS'],
    S3: process.env['AWS_ENDPOINT_URL_S3'],
  },
  onLog,
  onError,
  onFailure: fail,
}).catch(fail);

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  stack.stop().then(() => process.exit(0), fail);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// Whoever sets this keeps our standard input open for as long as it lives, and wants no stack after its own end.
if (process.env[CONTAINER_ENV_NAMES.exitWithParent] !== undefined)
  process.stdin.on('end', stop).on('error', stop).resume();

const ready = {
  url: stack.url,
  token: stack.token,
  control_url: stack.controlUrl,
  records_dir: stack.recordsDir,
  data_dir: data,
  pid: process.pid,
};
process.stdout.write(`${JSON.stringify(ready)}\n`);
module.flushCompileCache();
