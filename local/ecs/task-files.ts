import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../../shared/tokens.ts';
import { writeWhole } from '../durable.ts';
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
export interface TaskFiles {
  load(): readonly TaskRecord[];
  /** Whole or not at all, and before anything is started. */
  save(record: TaskRecord): void;
  forget(clientToken: string): void;
}

export function openTaskFiles(folder: string): TaskFiles {
  mkdirSync(folder, { recursive: true });
  const path = (clientToken: string): string => join(folder, `${sha256(clientToken)}.json`);
  return {
    load: () =>
      readdirSync(folder)
        .filter((name) => name.endsWith('.json'))
        .flatMap((name) => parse(join(folder, name)) ?? [])
        .sort((one, other) => one.createdAt - other.createdAt),
    save: (record) => writeWhole(path(record.clientToken), JSON.stringify(record), { mode: 0o600 }),
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
