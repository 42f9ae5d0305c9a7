import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';

/** An object as fauxqs keeps it. */
export interface StoredObject {
  readonly key: string;
  readonly body: Buffer;
  readonly lastModified: Date;
  readonly [detail: string]: unknown;
}

/** What takes the objects in again at start. */
interface ObjectIndex {
  hasBucket(name: string): boolean;
  createBucket(name: string): void;
  restoreObject(bucket: string, object: StoredObject): void;
}

const DETAILS = '.details';
const PARTIAL = '.partial';

/**
 * Objects as plain files: `<directory>/<bucket>/<key>`, with their headers beside in `.details`, so that any program
 * can read them where they are. A file appears whole or not at all, and its headers before it.
 */
export class ObjectFiles {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
    for (const name of [DETAILS, PARTIAL]) mkdirSync(join(directory, name), { recursive: true });
    for (const name of readdirSync(join(directory, PARTIAL))) rmSync(join(directory, PARTIAL, name));
  }

  /** Where an object is. Throws for a key that is not a path of its own. */
  #path(bucket: string, key: string, folder = ''): string {
    if (key.split('/').some((part) => ['', '.', '..'].includes(part))) {
      throw new Error(`the embedded S3 cannot keep an object under the key ${key}`);
    }
    return join(this.#directory, folder, bucket, key);
  }

  #write(path: string, content: Buffer | string): void {
    const partial = join(this.#directory, PARTIAL, randomUUID());
    writeFileSync(partial, content);
    mkdirSync(dirname(path), { recursive: true });
    renameSync(partial, path);
  }

  insertBucket(name: string): void {
    mkdirSync(join(this.#directory, name), { recursive: true });
  }

  upsertObject(bucket: string, { body, ...details }: StoredObject): void {
    this.#write(`${this.#path(bucket, details.key, DETAILS)}.json`, JSON.stringify(details));
    this.#write(this.#path(bucket, details.key), body);
  }

  readBody(bucket: string, key: string): Buffer {
    return readFileSync(this.#path(bucket, key));
  }

  deleteObject(bucket: string, key: string): void {
    rmSync(this.#path(bucket, key), { force: true });
    rmSync(`${this.#path(bucket, key, DETAILS)}.json`, { force: true });
  }

  completeMultipartUpload(_uploadId: string, bucket: string, object: StoredObject): void {
    this.upsertObject(bucket, object);
  }

  /** An upload in parts that a kill interrupts is to be begun again: its parts are in memory only. */
  insertMultipartUpload(): void {}
  upsertMultipartPart(): void {}
  deleteMultipartUpload(): void {}
  saveBucketLifecycleConfiguration(): void {}
  deleteBucketLifecycleConfiguration(): void {}

  close(): void {}

  /** Tells fauxqs of the objects that are there. */
  load(store: ObjectIndex, bucket: string): void {
    const root = join(this.#directory, DETAILS, bucket);
    if (!existsSync(root)) return;
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((candidate) => candidate.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const details = JSON.parse(readFileSync(path, 'utf8'));
      const stored = statSync(this.#path(bucket, details.key), { throwIfNoEntry: false });
      // The headers were written, the object was not: nobody was told that it is there.
      if (stored === undefined) continue;
      const whole = stored.size === details.contentLength && stored.mtimeMs >= statSync(path).mtimeMs;
      store.restoreObject(bucket, {
        ...details,
        ...(whole ? {} : this.#describe(bucket, details.key)),
        body: Buffer.alloc(0),
        lastModified: new Date(details.lastModified),
      });
    }
  }

  /** A kill came between the new headers and the new object: the old object stays, with what it says of itself. */
  #describe(bucket: string, key: string): Readonly<Record<string, unknown>> {
    const body = this.readBody(bucket, key);
    const etag = `"${createHash('md5').update(body).digest('hex')}"`;
    return { contentLength: body.length, etag, checksumValue: undefined, parts: undefined };
  }
}
