import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as z from 'zod';
import { CLI_EXIT_CODES, CliError } from './exit.ts';
import { START_STACK_COMMAND } from './installation.ts';
import type { CommandIo } from './io.ts';

/** Where the API is and with which token. */
export interface Connection {
  /** Without a slash at the end. */
  readonly url: string;
  readonly token: string | undefined;
  /** Where the url was found, for error messages. */
  readonly source: string;
  /** Where the token was; absent: where the url was. */
  readonly tokenSource?: string;
}

/** Data folder of `assay up`, below the current folder. */
export const DATA_DIR = '.assay-data';
export const CONNECTION_FILE = 'connection.json';

/** What `assay up --json` prints when ready, and keeps in the data folder (mode 0600: the token is a password). */
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

/** The connection file of a data folder, or null when there is none (or none that can be read). */
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

const clean = (value: string | undefined): string | undefined => value?.trim() || undefined;

/**
 * Flags win over the environment (ASSAY_URL, ASSAY_TOKEN), which wins over what `assay up` left in
 * `.assay-data`. A token of the file is used only with the file's own address: it is never sent elsewhere.
 */
export function findConnection(options: ConnectionOptions, io: Pick<CommandIo, 'env' | 'cwd'>): Connection {
  const fromFlag = clean(options.url);
  const fromEnv = clean(io.env['ASSAY_URL']);
  const given = fromFlag ?? fromEnv;
  const fromOption = clean(options.token);
  const token = fromOption ?? clean(io.env['ASSAY_TOKEN']);
  const told = token === undefined ? {} : { tokenSource: fromOption ? '--token' : 'ASSAY_TOKEN' };
  if (given !== undefined) {
    const source = fromFlag === undefined ? 'ASSAY_URL' : '--url';
    if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol))
      throw new CliError(CLI_EXIT_CODES.usage, 'bad_url', `${source} is not an http(s) address: ${given}`);
    const url = given.replace(/\/+$/, '');
    const file = token === undefined ? readConnectionFile(join(io.cwd, DATA_DIR)) : null;
    return { url, token: token ?? (file?.url === url ? file.token : undefined), source, ...told };
  }
  const file = readConnectionFile(join(io.cwd, DATA_DIR));
  if (file)
    return { url: file.url, token: token ?? file.token, source: join(DATA_DIR, CONNECTION_FILE), ...told };
  throw new CliError(CLI_EXIT_CODES.usage, 'no_connection', 'No address of an Assay API.', {
    hint: `Give --url and --token, or ASSAY_URL and ASSAY_TOKEN, or start one on this machine with ${START_STACK_COMMAND}.`,
  });
}
