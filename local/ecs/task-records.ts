import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../shared/lib/sha256.ts';
import { writeFileAtomically } from '../atomic-files.ts';
import { isRecord, type Json } from '../properties.ts';

/** What is known of a task that was asked for with a client token. */
export interface TaskRecord {
  readonly clientToken: string;
  /** The whole request: the same token with another one is a conflict. */
  readonly request: Json;
  readonly id: string;
  readonly arn: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly stopped: boolean;
}

/** The client tokens of RunTask, kept in files: the same call after a kill starts no second box. */
export interface TaskRecords {
  load(): readonly TaskRecord[];
  /** Was a task started with this token, of which nothing more is known? Its file is damaged. */
  isDamaged(clientToken: string): boolean;
  /** Whole or not at all, and before anything is started. */
  save(record: TaskRecord): void;
  forget(clientToken: string): void;
}

/** @param notice is told of each file that is damaged. */
export function openTaskRecords(folder: string, notice: (message: string) => void): TaskRecords {
  mkdirSync(folder, { recursive: true });
  const path = (clientToken: string): string => join(folder, `${sha256(clientToken)}.json`);
  const damaged = new Set<string>();
  const read = (file: string): readonly TaskRecord[] => {
    const record = parse(file);
    if (record !== null && path(record.clientToken) === file) return [record];
    damaged.add(file);
    notice(
      `${file} is damaged: the box that it is about counts as lost, and no other is started with its client token`,
    );
    return [];
  };
  return {
    load: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => read(join(folder, name)))
        .sort((one, other) => one.createdAt - other.createdAt),
    isDamaged: (clientToken) => damaged.has(path(clientToken)),
    save: (record) => writeFileAtomically(path(record.clientToken), JSON.stringify(record), { mode: 0o600 }),
    forget: (clientToken) => rmSync(path(clientToken), { force: true }),
  };
}

function parse(path: string): TaskRecord | null {
  try {
    const record: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const whole =
      isRecord(record) &&
      ['clientToken', 'id', 'arn'].every((name) => typeof record[name] === 'string') &&
      isRecord(record['request']);
    return whole ? (record as unknown as TaskRecord) : null;
  } catch {
    return null;
  }
}
