import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { START_STACK_COMMAND } from './installation.ts';
import type { CommandIo } from './io.ts';

/** Address and token of the API. */
export interface Connection {
  /** Without a trailing slash. */
  readonly url: string;
  readonly token: string | undefined;
  /** Source of the address, for error messages. */
  readonly source: string;
  /** Source of the token; absent: the source of the address. */
  readonly tokenSource?: string;
}

/** Data folder of `assay up`, in the current folder. */
export const DATA_DIR = '.assay-data';
export const CONNECTION_FILE = 'connection.json';

/** The output of `assay up --json`, also written into the data folder (mode 0600: the token is a password). */
export const ConnectionFile = z.object({
  url: z.string(),
  token: z.string(),
  control_url: z.string(),
  records_dir: z.string(),
  data_dir: z.string(),
  pid: z.number().int(),
});
export type ConnectionFile = z.infer<typeof ConnectionFile>;

export interface ConnectionOptions {
  readonly url?: string | undefined;
  readonly token?: string | undefined;
}

/** Reads the connection file of a data folder; null: there is none, or it cannot be read. @throws CliError if it is damaged */
export function readConnectionFile(dataDir: string): ConnectionFile | null {
  let text: string;
  try {
    text = readFileSync(join(dataDir, CONNECTION_FILE), 'utf8');
  } catch {
    return null;
  }
  try {
    return ConnectionFile.parse(JSON.parse(text));
  } catch {
    throw new CliError(
      CLI_EXIT_CODES.usage,
      'bad_connection',
      `${join(dataDir, CONNECTION_FILE)} is damaged.`,
      {
        hint: 'Remove the file and start `assay up` again, or give --url and --token.',
      },
    );
  }
}

const trimToUndefined = (value: string | undefined): string | undefined => value?.trim() || undefined;

/**
 * Finds the connection: options come before the environment (ASSAY_URL, ASSAY_TOKEN), which comes before the file that `assay up` writes
 * into `.assay-data`. The token of the file is sent to the address of the file only.
 * @throws CliError if there is no address
 */
export function findConnection(options: ConnectionOptions, io: Pick<CommandIo, 'env' | 'cwd'>): Connection {
  const fromFlag = trimToUndefined(options.url);
  const fromEnv = trimToUndefined(io.env['ASSAY_URL']);
  const given = fromFlag ?? fromEnv;
  const fromOption = trimToUndefined(options.token);
  const token = fromOption ?? trimToUndefined(io.env['ASSAY_TOKEN']);
  const tokenSource = token === undefined ? {} : { tokenSource: fromOption ? '--token' : 'ASSAY_TOKEN' };
  if (given !== undefined) {
    const source = fromFlag === undefined ? 'ASSAY_URL' : '--url';
    if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
      throw new CliError(CLI_EXIT_CODES.usage, 'bad_url', `${source} is not an http(s) address: ${given}`);
    const url = given.replace(/\/+$/, '');
    const file = token === undefined ? readConnectionFile(join(io.cwd, DATA_DIR)) : null;
    return { url, token: token ?? (file?.url === url ? file.token : undefined), source, ...tokenSource };
  }
  const file = readConnectionFile(join(io.cwd, DATA_DIR));
  if (file)
    return {
      url: file.url,
      token: token ?? file.token,
      source: join(DATA_DIR, CONNECTION_FILE),
      ...tokenSource,
    };
  throw new CliError(CLI_EXIT_CODES.usage, 'no_connection', 'No address of an Assay API.', {
    hint: `Give --url and --token, or ASSAY_URL and ASSAY_TOKEN, or start one on this machine with ${START_STACK_COMMAND}.`,
  });
}
