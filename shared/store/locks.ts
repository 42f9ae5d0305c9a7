import { createHash } from 'node:crypto';
import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { type DynamoDBDocumentClient, GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { TABLE } from '../names.ts';
import { Refusal } from '../refusal.ts';
import { overlap } from '../task/file-overlap.ts';
import { isLive, isTerminal } from '../task/status.ts';
import type { Task } from '../task/task.ts';
import type { TaskStore } from './tasks.ts';

/** Seconds for which a lock counts although its task is not live: the time between taking the lock and claiming the task. */
const GRACE_SECONDS = 60;
const MAX_RACES = 25;

interface Holder {
  readonly files: readonly string[];
  /** Epoch seconds. */
  readonly since: number;
}
interface LockItem {
  readonly version: number;
  readonly holders: Record<string, Holder>;
}

/**
 * Who works on which files of a repository: all of it in one item, so that taking a lock is one conditional write. An entry counts
 * while its task is live; entries of ended tasks are swept when somebody needs the files.
 */
export class LockStore {
  readonly #db: DynamoDBDocumentClient;
  readonly #table: string;
  readonly #tasks: TaskStore;

  constructor(db: DynamoDBDocumentClient, table: string, tasks: TaskStore) {
    this.#db = db;
    this.#table = table;
    this.#tasks = tasks;
  }

  #key(repository: string): Record<string, string> {
    return {
      [TABLE.pk]: `repo#${createHash('sha256').update(repository).digest('hex')}`,
      [TABLE.sk]: 'locks',
    };
  }

  async #read(repository: string): Promise<LockItem> {
    const { Item } = await this.#db.send(
      new GetCommand({ TableName: this.#table, Key: this.#key(repository), ConsistentRead: true }),
    );
    return Item
      ? { version: Item['version'] as number, holders: Item['holders'] as Record<string, Holder> }
      : { version: 0, holders: {} };
  }

  /** False when somebody else wrote first. */
  async #write(repository: string, before: LockItem, holders: Record<string, Holder>): Promise<boolean> {
    try {
      await this.#db.send(
        new PutCommand({
          TableName: this.#table,
          Item: { ...this.#key(repository), version: before.version + 1, holders },
          ConditionExpression: before.version === 0 ? 'attribute_not_exists(#pk)' : '#version = :version',
          ExpressionAttributeNames: before.version === 0 ? { '#pk': TABLE.pk } : { '#version': 'version' },
          ...(before.version === 0 ? {} : { ExpressionAttributeValues: { ':version': before.version } }),
        }),
      );
      return true;
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false;
      throw error;
    }
  }

  async #counts(id: string, holder: Holder, now: number): Promise<boolean> {
    const task = await this.#tasks.get(id);
    if (task === null || isTerminal(task.status)) return false;
    return isLive(task.status) || now - holder.since < GRACE_SECONDS;
  }

  /** Takes the task's files. Answers with the id of the task that holds one of them, or null when they are ours now. */
  async acquire(task: Pick<Task, 'id' | 'repository' | 'files'>, now: Date): Promise<string | null> {
    if (task.files.length === 0) return null;
    const seconds = Math.floor(now.getTime() / 1_000);
    for (let race = 0; race < MAX_RACES; race++) {
      const item = await this.#read(task.repository);
      const holders: Record<string, Holder> = { ...item.holders };
      for (const [id, holder] of Object.entries(item.holders)) {
        if (id === task.id || overlap(task.files, holder.files) === null) continue;
        if (await this.#counts(id, holder, seconds)) return id;
        delete holders[id];
      }
      holders[task.id] = { files: task.files, since: seconds };
      if (await this.#write(task.repository, item, holders)) return null;
    }
    throw new Refusal('busy', `the files of ${task.repository} are in great demand; try again`);
  }

  /** Gives an ended task's files back. Does nothing when the task is not ended (it was retried meanwhile) or holds nothing. */
  async release(task: Pick<Task, 'id' | 'repository' | 'files'>): Promise<void> {
    if (task.files.length === 0) return;
    for (let race = 0; race < MAX_RACES; race++) {
      const item = await this.#read(task.repository);
      if (!(task.id in item.holders)) return;
      const present = await this.#tasks.get(task.id);
      if (present && !isTerminal(present.status)) return;
      const { [task.id]: _released, ...rest } = item.holders;
      if (await this.#write(task.repository, item, rest)) return;
    }
    throw new Refusal('busy', `could not release the files of ${task.id}`);
  }
}
