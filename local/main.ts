/** Runs Assay on this machine until a signal stops it. The arguments are in USAGE. */
import module from 'node:module';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import {
  CONTAINER_ENV_NAMES,
  EMBEDDED_SECRET_ARN,
  FUNCTION_ENV_NAMES,
} from '../shared/contract/resource-names.ts';
import type { FunctionEnvironmentPassthrough } from './env-passthrough.ts';
import { takeFunctionEnvironmentPassthrough } from './env-passthrough.ts';
import type { LocalStack } from './stack.ts';
import { isStorageFullError, STORAGE_FULL_EXIT_CODE } from './storage.ts';

/** Milliseconds in which answers are sent before the process ends. */
const FLUSH_MS = 100;
const ROOT = resolve(import.meta.dirname, '..');
const CACHE = join(ROOT, '.cache');
const USAGE = `usage: node local/main.ts --data DIR [--port N] [--setting NAME=VALUE]… [--json] [--verbose]

  --data DIR   directory with all state; created if it is missing, continued if it exists
  --port N     port of the API on 127.0.0.1; 0: any free port; default: that of the last start, or any free port
  --setting S  NAME=VALUE: a setting of the deployment (docs/how-to/deploy.md), without the prefix "assay:"; can be repeated
  --json       print one line of JSON when the stack is ready (the default; kept for clarity in scripts)
  --verbose    write the logs of the functions and of the engines to standard error

AWS_ENDPOINT_URL_DYNAMODB, _SQS and _S3 replace the embedded engine by an external one.
`;

function usageError(message: string): never {
  process.stderr.write(`${message}\n\n${USAGE}`);
  process.exit(2);
}

/** @throws TypeError if the text is not NAME=VALUE. */
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

/** Before any process is started, because it removes secrets from the environment. */
function readPassthrough(): FunctionEnvironmentPassthrough {
  try {
    return takeFunctionEnvironmentPassthrough(process.env);
  } catch (error) {
    return fail(error);
  }
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(isStorageFullError(error) ? STORAGE_FULL_EXIT_CODE : 1);
}

const { data, port, verbose, settings } = readArguments();
let stack: LocalStack | null = null;
let isFailing = false;
/** Ends the process. If the disk is full, requests that wait are answered before. */
function failRunning(error: unknown): void {
  if (isFailing) return;
  isFailing = true;
  if (stack === null || !isStorageFullError(error)) fail(error);
  stack.refuseRequests();
  // What was answered is sent with the next turns of the event loop.
  setTimeout(() => fail(error), FLUSH_MS);
}
process.on('uncaughtException', (error) => {
  const { message } = error;
  failRunning(new Error(error.stack ?? message, { cause: error }));
});
const passthrough = readPassthrough();
const onError = (message: string): void => {
  process.stderr.write(`${message}\n`);
};
const onLog = (line: string): void => {
  if (verbose) onError(line);
};
module.enableCompileCache(join(CACHE, 'compiled'));
// Containers are programs of a megabyte that live for less than a second, a good part of which is compiling.
process.env['NODE_COMPILE_CACHE'] = join(CACHE, 'compiled');
const [{ prepareCloudAssembly }, { startLocalStack: startStack }] = await Promise.all([
  import('./cloud-assembly.ts'),
  import('./stack.ts'),
]);
/**
 * The template has the functions that report to forges and send notifications only where these are set. Their secrets come from
 * the environment.
 */
const notify = passthrough[FUNCTION_ENV_NAMES.notify]?.[FUNCTION_ENV_NAMES.notify];
const forges = passthrough[FUNCTION_ENV_NAMES.forges]?.[FUNCTION_ENV_NAMES.forges];
const assembly = await prepareCloudAssembly({
  root: ROOT,
  cache: CACHE,
  settings: {
    ...settings,
    ...(forges && { forges, forgeSecretArn: EMBEDDED_SECRET_ARN }),
    ...(notify && { notify, notifySecretArn: EMBEDDED_SECRET_ARN }),
  },
  onLog,
}).catch(fail);
const running = await startStack({
  dataDir: data,
  assembly,
  cache: CACHE,
  port,
  passthrough,
  engines: {
    DYNAMODB: process.env['AWS_ENDPOINT_URL_DYNAMODB'],
    SQS: process.env['AWS_ENDPOINT_URL_SQS'],
    S3: process.env['AWS_ENDPOINT_URL_S3'],
  },
  onLog,
  onError,
  onFailure: failRunning,
}).catch(fail);
stack = running;

let stopping = false;
const stop = (): void => {
  if (stopping) return;
  stopping = true;
  running.stop().then(() => process.exit(0), fail);
};
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, stop);
// The process that sets this keeps our standard input open as long as it lives, and the stack must not
// outlive it.
if (process.env[CONTAINER_ENV_NAMES.exitWithParent] !== undefined)
  process.stdin.on('end', stop).on('error', stop).resume();

const ready = {
  url: running.url,
  token: running.token,
  control_url: running.controlUrl,
  dynamodb_url: running.dynamodbUrl,
  table: running.table,
  access_key_id: running.credentials.accessKeyId,
  secret_access_key: running.credentials.secretAccessKey,
  records_dir: running.recordsDir,
  data_dir: data,
  pid: process.pid,
};
process.stdout.write(`${JSON.stringify(ready)}\n`);
module.flushCompileCache();
