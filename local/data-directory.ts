import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeFileAtomically } from './atomic-files.ts';
import {
  createEngineCredentials,
  type EngineCredentials,
  parseEngineCredentials,
} from './engine-credentials.ts';
import { tryLock } from './file-lock.ts';
import { isRecord } from './resource-properties.ts';

/** Ports of the last start, so that addresses that were given out stay valid after a restart. */
export interface SavedServicePorts {
  readonly api: number;
  readonly control: number;
  readonly dynamodb: number;
  readonly queues: number;
  readonly functionUrl: number;
}

/** The directory with all state of a stack, locked by one process at a time. */
export interface DataDirectory {
  readonly path: string;
  /** True if no stack has run on it yet. */
  readonly isNew: boolean;
  /** Unique id of this directory. Processes that a stack on it has started have it in their environment. */
  readonly id: string;
  /** What the clients of the engines sign with. The same after a restart, because URLs that were signed stay valid. */
  readonly credentials: EngineCredentials;
  /** 0 for an unknown port. */
  readonly ports: SavedServicePorts;
  rememberPorts(ports: SavedServicePorts): void;
  /** Content of the token file, which may be damaged; null if there is none. */
  token(): string | null;
  /** Stores the operator token in a file that only the owner can read. */
  storeToken(token: string): void;
  release(): void;
}

const PORTS = 'ports.json';
const TOKEN = 'operator-token';
const ID = 'id';
const CREDENTIALS = 'engine-credentials';
const LOCK = 'lock';

/**
 * Opens the directory, which is created if it is missing. A damaged file whose content can be recreated
 * counts as missing. @throws Error if another process has locked the directory.
 */
export function openDataDirectory(path: string): DataDirectory {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const isNew = !existsSync(join(path, LOCK));
  const release = tryLock(join(path, LOCK));
  if (release === null) throw new Error(`${path} is in use by another stack`);
  const write = (name: string, text: string): void =>
    writeFileAtomically(join(path, name), `${text}\n`, { mode: 0o600, sync: true });
  try {
    return {
      path,
      isNew,
      id: readId(path, write),
      credentials: readCredentials(path, write),
      ports: readPorts(read(path, PORTS)),
      rememberPorts: (ports) => write(PORTS, JSON.stringify(ports)),
      token: () => read(path, TOKEN),
      storeToken: (token) => write(TOKEN, token),
      release,
    };
  } catch (error) {
    release();
    throw error;
  }
}

const read = (path: string, name: string): string | null =>
  existsSync(join(path, name)) ? readFileSync(join(path, name), 'utf8').trim() : null;

function readId(path: string, write: (name: string, text: string) => void): string {
  const known = read(path, ID) ?? '';
  if (/^[0-9a-f-]{36}$/.test(known)) return known;
  const made = randomUUID();
  write(ID, made);
  return made;
}

function readCredentials(path: string, write: (name: string, text: string) => void): EngineCredentials {
  const known = parseEngineCredentials(read(path, CREDENTIALS));
  if (known !== null) return known;
  const made = createEngineCredentials();
  write(CREDENTIALS, `${made.accessKeyId} ${made.secretAccessKey}`);
  return made;
}

function readPorts(text: string | null): SavedServicePorts {
  const known = parsed(text ?? '');
  const port = (name: string): number => {
    const number = isRecord(known) ? Number(known[name]) : 0;
    return Number.isInteger(number) && number > 0 && number < 65_536 ? number : 0;
  };
  return {
    api: port('api'),
    control: port('control'),
    dynamodb: port('dynamodb'),
    queues: port('queues'),
    functionUrl: port('functionUrl'),
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
