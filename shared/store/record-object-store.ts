import { DeleteObjectsCommand, paginateListObjectsV2, type S3Client } from '@aws-sdk/client-s3';
import type { CompactionObjectStore, ListedObject } from '../control/ledger/compaction.ts';
import { ObjectStore } from './object-store.ts';

/** What S3 takes in one request. */
const MOST_KEYS = 1_000;

/** The records of a bucket, for what makes few objects of many. */
export class RecordObjectStore implements CompactionObjectStore {
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #objects: ObjectStore;

  /** `bucket`: where records lie. */
  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
    this.#objects = new ObjectStore(s3, bucket);
  }

  async list(prefix: string): Promise<readonly ListedObject[]> {
    const found: ListedObject[] = [];
    for await (const page of paginateListObjectsV2(
      { client: this.#s3 },
      { Bucket: this.#bucket, Prefix: prefix },
    ))
      for (const { Key, Size } of page.Contents ?? [])
        if (Key !== undefined && Size !== undefined) found.push({ key: Key, bytes: Size });
    return found;
  }

  async find(key: string): Promise<string | null> {
    try {
      return await this.#objects.get(key);
    } catch (error) {
      if (error instanceof Error && error.name === 'NoSuchKey') return null;
      throw error;
    }
  }

  putIfAbsent(key: string, body: string, contentType: string): Promise<void> {
    return this.#objects.putIfAbsent(key, body, contentType);
  }

  async remove(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += MOST_KEYS) {
      const { Errors = [] } = await this.#s3.send(
        new DeleteObjectsCommand({
          Bucket: this.#bucket,
          Delete: { Quiet: true, Objects: keys.slice(at, at + MOST_KEYS).map((Key) => ({ Key })) },
        }),
      );
      const [first] = Errors;
      if (first) throw new Error(`${first.Key} cannot be removed: ${first.Code} ${first.Message}`);
    }
  }
}
