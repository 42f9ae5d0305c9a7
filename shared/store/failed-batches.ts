import { DeleteObjectCommand, ListObjectsV2Command, type S3Client } from '@aws-sdk/client-s3';
import { FAILED_STREAM_BATCH_KEY_PREFIX } from '../contract/resource-names.ts';
import { ObjectStore } from './object-store.ts';

/** Batches that are read at a time. */
const AT_A_TIME = 50;

/** What Lambda has written of batches of the stream that it gave up, and what is kept of them until it is done. */
export class FailedBatchStore {
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #objects: ObjectStore;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
    this.#objects = new ObjectStore(s3, bucket);
  }

  /** Keys of batches that nobody has taken up, the oldest of each shard first. */
  async listBatches(): Promise<string[]> {
    const { Contents = [] } = await this.#s3.send(
      new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: FAILED_STREAM_BATCH_KEY_PREFIX,
        MaxKeys: AT_A_TIME,
      }),
    );
    return Contents.flatMap(({ Key }) => (Key === undefined ? [] : [Key]));
  }

  /** Null: it is not there any more. Whoever may not list its prefix would be told that it is denied, and may have lost more than that. */
  async find(key: string): Promise<string | null> {
    try {
      return await this.#objects.get(key);
    } catch (error) {
      if (error instanceof Error && error.name === 'NoSuchKey') return null;
      throw error;
    }
  }

  put(key: string, body: string): Promise<void> {
    return this.#objects.put(key, body, 'application/json');
  }

  async remove(key: string): Promise<void> {
    await this.#s3.send(new DeleteObjectCommand({ Bucket: this.#bucket, Key: key }));
  }
}
