import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../shared/lib/sha256.ts';
import { writeFileAtomically } from '../atomic-files.ts';
import { isRecord, type UnknownRecord } from '../resource-properties.ts';

/** The record of a task that was started with a client token. */
export interface TaskRecord {
  readonly clientToken: string;
  /** The whole request: another request with the same token is a conflict. */
  readonly request: UnknownRecord;
  readonly id: string;
  readonly arn: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly stopped: boolean;
}

/** The client tokens of RunTask, in files: the same call after a kill starts no second container. */
export interface TaskRecords {
  load(): readonly TaskRecord[];
  /** True if the record of the task with this token is damaged. */
  isDamaged(clientToken: string): boolean;
  /** Saves the record atomically. To be called before the task is started. */
  save(record: TaskRecord): void;
  forget(clientToken: string): void;
}

/** @param notice receives a message for each damaged file. */
export function openTaskRecords(folder: string, notice: (message: string) => void): TaskRecords {
  mkdirSync(folder, { recursive: true });
  const path = (clientToken: string): string => join(folder, `${sha256(clientToken)}.json`);
  const damaged = new Set<string>();
  const read = (file: string): readonly TaskRecord[] => {
    const record = parse(file);
    if (record !== null && path(record.clientToken) === file) return [record];
    damaged.add(file);
    notice(`${file} is damaged: its container counts as lost, and its client token starts no other`);
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
