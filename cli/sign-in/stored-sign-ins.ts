import { lstatSync, mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { writeFileAtomically } from '../../local/atomic-files.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import type { CommandIo } from '../io.ts';

/** A sign-in at one API. */
const StoredSignIn = z.object({
  issuer: z.string(),
  client_id: z.string(),
  scope: z.string(),
  /** Which of the issuer's tokens the API gets. */
  send: z.enum(['id', 'access']),
  token: z.string(),
  refresh_token: z.string().nullable(),
  expires_at: z.iso.datetime(),
});
export type StoredSignIn = z.infer<typeof StoredSignIn>;
const SignInFile = z.object({ sign_ins: z.record(z.string(), StoredSignIn) });

type Io = Pick<CommandIo, 'env'>;

/** Path of the file with sign-ins: in the user's configuration, never in the current folder. */
export const signInPath = ({ env }: Io): string =>
  join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'assay', 'sign-ins.json');

const addressOf = (url: string): string => url.replace(/\/+$/, '');

function damagedFile(path: string, reason: string): CliError {
  return new CliError(CLI_EXIT_CODES.usage, 'bad_sign_in', `${path} is not used: ${reason}.`, {
    hint: 'Remove it and sign in again with `assay login`.',
  });
}

function readSignIns(io: Io): Record<string, StoredSignIn> {
  const path = signInPath(io);
  let text: string;
  try {
    const { mode, uid } = lstatSync(path);
    const user = process.getuid?.();
    if (user !== undefined && (uid !== user || (mode & 0o077) !== 0))
      throw damagedFile(path, 'other users may read or write it');
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof CliError) throw error;
    return {};
  }
  try {
    return SignInFile.parse(JSON.parse(text)).sign_ins;
  } catch {
    throw damagedFile(path, 'it is damaged');
  }
}

function writeSignIns(signIns: Readonly<Record<string, StoredSignIn>>, io: Io): void {
  const path = signInPath(io);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  writeFileAtomically(path, `${JSON.stringify({ sign_ins: signIns }, null, 2)}\n`, { mode: 0o600 });
}

/** Returns the sign-in at an API, or null. @throws CliError if the file is damaged, or others may read it */
export function findSignIn(url: string, io: Io): StoredSignIn | null {
  const all = readSignIns(io);
  const address = addressOf(url);
  return (Object.hasOwn(all, address) ? all[address] : undefined) ?? null;
}

/** Stores the sign-in at an API, readable for its owner only. */
export const storeSignIn = (url: string, signIn: StoredSignIn, io: Io): void =>
  writeSignIns({ ...readSignIns(io), [addressOf(url)]: signIn }, io);

/** Removes the sign-in at an API. Returns it, or null if there is none. */
export function removeSignIn(url: string, io: Io): StoredSignIn | null {
  const { [addressOf(url)]: removed, ...others } = readSignIns(io);
  if (removed === undefined) return null;
  writeSignIns(others, io);
  return removed;
}
