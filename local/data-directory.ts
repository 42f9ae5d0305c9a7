import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tryLock } from './file-lock.ts';
import { isRecord } from './properties.ts';

/** Ports that were used the last time, so that addresses that were handed out stay good after a restart. */
export interface Ports {
  readonly api: number;
  readonly control: number;
  readonly dynamodb: number;
  readonly queues: number;
}

/** The directory with all state of a stack, held by one process at a time. */
export interface DataDirectory {
  readonly path: string;
  /** 0 for a port that is not known. */
  readonly ports: Ports;
  rememberPorts(ports: Ports): void;
  /** The operator's token, or null when none was stored yet. */
  token(): string | null;
  /** Keeps the token in a file that only the owner can read. */
  storeToken(token: string): void;
  release(): void;
}

const PORTS = 'ports.json';
const TOKEN = 'operator-token';

/** Opens the directory, which is made when it is missing. Throws when another process holds it. */
export function openDataDirectory(path: string): DataDirectory {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  const release = tryLock(join(path, 'lock'));
  if (release === null) throw new Error(`${path} is in use by another stack`);
  return {
    path,
    ports: readPorts(join(path, PORTS)),
    rememberPorts: (ports) => write(join(path, PORTS), `${JSON.stringify(ports)}\n`),
    token: () => (existsSync(join(path, TOKEN)) ? readFileSync(join(path, TOKEN), 'utf8').trim() : null),
    storeToken: (token) => write(join(path, TOKEN), `${token}\n`),
    release,
  };
}

/** Whole or not at all, and for the owner only. */
function write(path: string, text: string): void {
  writeFileSync(`${path}.partial`, text, { mode: 0o600 });
  renameSync(`${path}.partial`, path);
}

function readPorts(path: string): Ports {
  const known: unknown = existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {};
  const port = (name: string): number => (isRecord(known) && Number(known[name])) || 0;
  return { api: port('api'), control: port('control'), dynamodb: port('dynamodb'), queues: port('queues') };
}
