import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { isLoopbackUrl } from '../shared/contract/repository/loopback.ts';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { START_STACK_COMMAND } from './installation.ts';
import type { CommandIo } from './io.ts';
import { findSignIn } from './sign-in/stored-sign-ins.ts';

/** Address and token of the API. */
export interface ApiConnection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string | undefined;
  /** Source of the address, for error messages. */
  readonly source: string;
  /** Source of the token; absent: the source of the address. */
  readonly tokenSource?: string;
}

/** Data folder of `assay up`, in the current folder. */
export const LOCAL_STACK_DATA_DIR = '.assay-data';
export const CONNECTION_FILE_NAME = 'connection.json';

/** The output of `assay up --json`, also written into the data folder (mode 0600: the token is a password). */
export const ConnectionFile = z.object({
  url: z.string(),
  token: z.string(),
  control_url: z.string(),
  dynamodb_url: z.string(),
  table: z.string(),
  /** What clients of the engines sign with. */
  access_key_id: z.string(),
  /** The control endpoint takes it as a bearer token. */
  secret_access_key: z.string(),
  records_dir: z.string(),
  data_dir: z.string(),
  pid: z.number().int(),
});
export type ConnectionFile = z.infer<typeof ConnectionFile>;

export interface ApiConnectionOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
  /** Uses the stack of this folder, in commands that do so only on request. */
  readonly local?: boolean | undefined;
}

/**
 * Reads the connection file of a data folder. Returns null if there is none.
 * The content is not trusted: see {@link readTrustedConnectionFile}.
 * @throws CliError if the file is damaged
 */
export function readConnectionFile(dataDir: string): ConnectionFile | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, CONNECTION_FILE_NAME), 'utf8');
  } catch {
    return null;
  }
  try {
    return ConnectionFile.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_connection',
      `${join(dataDir, CONNECTION_FILE_NAME)} is damaged.`,
      {
        hint: 'Remove the file and start `assay up` again, or give --url and --token.',
      },
    );
  }
}

/** Whether this process may send signals to a process, which is true only for processes of the same user. */
function isOwnProcess(pid: number): boolean {
  if (pid <= 1) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

/** Whether git tracks a path below a folder. A folder outside every repository tracks nothing. */
function isTrackedByGit(folder: string, path: string): boolean {
  try {
    // The repository of the folder is not trusted either, so none of its programs may run.
    const options = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null'];
    const found = execFileSync('git', [...options, 'ls-files', '--cached', '-z', '--', path], {
      cwd: folder,
      env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return found.length > 0;
  } catch {
    return false;
  }
}

/**
 * Returns why the connection file of a folder may come from somebody other than a running `assay up` of this user, such as the author of
 * a clone or an archive; null if it is trusted.
 */
function distrustReason(cwd: string, connection: ConnectionFile): string | null {
  const { url, control_url, dynamodb_url, pid } = connection;
  const user = process.getuid?.();
  const folder = lstatSync(join(cwd, LOCAL_STACK_DATA_DIR));
  const file = lstatSync(join(cwd, LOCAL_STACK_DATA_DIR, CONNECTION_FILE_NAME));
  if (!folder.isDirectory() || !file.isFile()) return 'it is a link';
  if (user !== undefined) {
    if (file.uid !== user || folder.uid !== user) return 'it belongs to another user';
    if ((file.mode & 0o077) !== 0) return 'other users may read or write it';
  }
  if (isTrackedByGit(cwd, LOCAL_STACK_DATA_DIR)) return 'git tracks it';
  if (![url, control_url, dynamodb_url].every(isLoopbackUrl))
    return 'an address in it is not on this machine';
  if (!isOwnProcess(pid)) return `the stack that wrote it (process ${pid}) does not run`;
  return null;
}

/**
 * Reads the connection file of the stack that runs on a folder. Returns null if there is none.
 * @throws CliError if the file is damaged, or does not come from a running stack of this user
 */
export function readTrustedConnectionFile(cwd: string): ConnectionFile | null {
  const file = readConnectionFile(join(cwd, LOCAL_STACK_DATA_DIR));
  const reason = file === null ? null : distrustReason(cwd, file);
  if (reason === null) return file;
  throw new CliError(
    CLI_EXIT_CODES.usage,
    'untrusted_connection',
    `${join(LOCAL_STACK_DATA_DIR, CONNECTION_FILE_NAME)} is not used: ${reason}.`,
    {
      hint: `Start ${START_STACK_COMMAND} in this folder, or give --url and --token. Remove a file that you did not make.`,
    },
  );
}

const trimToUndefined = (value: string | undefined): string | undefined => value?.trim() || undefined;

/**
 * Finds the API. Flags, of which `--local` is one, win over the environment (ASSAY_URL, ASSAY_TOKEN), which wins over the running stack of
 * this folder.
 * Without a token, the sign-in of `assay login` at the address counts.
 * A token and an address belong together: the token of the file is sent only to the file's address, and a token from elsewhere is never
 * sent there.
 * @param folder `trusted`: the stack of this folder is used without being asked for; `on_request`: only with `--local`
 * @throws CliError if there is no address, a token without an address, or `--local` beside an address or token
 */
export function findApiConnection(
  options: ApiConnectionOptions,
  io: Pick<CommandIo, 'env' | 'cwd'>,
  folder: 'trusted' | 'on_request' = 'trusted',
): ApiConnection {
  const fromFlag = trimToUndefined(options.url);
  const fromOption = trimToUndefined(options.token);
  if (options.local && (fromFlag !== undefined || fromOption !== undefined))
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_option',
      '--local uses the address and token of the stack in this folder; give no --url or --token with it.',
    );
  const env = options.local ? {} : io.env;
  const given = fromFlag ?? trimToUndefined(env['ASSAY_URL']);
  const token = fromOption ?? trimToUndefined(env['ASSAY_TOKEN']);
  const tokenSource = fromOption ? '--token' : 'ASSAY_TOKEN';
  if (given !== undefined) {
    const source = fromFlag === undefined ? 'ASSAY_URL' : '--url';
    if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
      throw new CliError(CLI_EXIT_CODES.usage, 'bad_url', `${source} is not an http(s) address: ${given}`);
    const url = given.replace(/\/+$/, '');
    if (token !== undefined) return { url, token, source, tokenSource };
    const isOfFile = readConnectionFile(join(io.cwd, LOCAL_STACK_DATA_DIR))?.url === url;
    if (isOfFile) return { url, token: readTrustedConnectionFile(io.cwd)?.token, source };
    const signIn = findSignIn(url, io);
    // An expired one is sent all the same: the API's refusal says what to do, and `assay login` needs the address only.
    return {
      url,
      token: signIn?.token,
      source,
      ...(signIn && { tokenSource: `the sign-in that ended or ends at ${signIn.expires_at} (assay login)` }),
    };
  }
  if (folder === 'trusted' || options.local) {
    const file = readTrustedConnectionFile(io.cwd);
    if (file !== null && token !== undefined)
      throw new CliError(
        CLI_EXIT_CODES.usage,
        'token_without_address',
        `${tokenSource} is given without an address. It is not sent to the address that this folder names.`,
        {
          hint: `Give --url (or ASSAY_URL) too, or leave ${tokenSource} out to use the stack of this folder with its own token.`,
        },
      );
    if (file !== null)
      return { url: file.url, token: file.token, source: join(LOCAL_STACK_DATA_DIR, CONNECTION_FILE_NAME) };
  }
  const here = folder === 'on_request' ? ', or --local for the stack of `assay up` in this folder' : '';
  throw new CliError(CLI_EXIT_CODES.usage, 'no_connection', 'No address of an Assay API.', {
    hint: `Give --url and --token, or ASSAY_URL and ASSAY_TOKEN${here}, or start one on this machine with ${START_STACK_COMMAND}.`,
  });
}
