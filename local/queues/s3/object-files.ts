import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomically } from '../../atomic-files.ts';
import { isRecord, type UnknownRecord } from '../../resource-properties.ts';

/** An object as fauxqs keeps it. */
export interface StoredObject {
  readonly key: string;
  readonly body: Buffer;
  readonly lastModified: Date;
  readonly [detail: string]: unknown;
}

/** The part of fauxqs that loads the objects at a start. */
interface ObjectIndex {
  hasBucket(name: string): boolean;
  createBucket(name: string): void;
  restoreObject(bucket: string, object: StoredObject): void;
}

const DETAILS = '.details';
const PARTIAL = '.partial';

/**
 * Objects as plain files, `<directory>/<bucket>/<key>`, which any program can read; their headers are in
 * `.details`. Files are written atomically, and headers before their object.
 */
export class ObjectFiles {
  readonly #directory: string;
  readonly #notice: (message: string) => void;

  constructor(directory: string, notice: (message: string) => void = () => {}) {
    this.#directory = directory;
    this.#notice = notice;
    for (const name of [DETAILS, PARTIAL]) mkdirSync(join(directory, name), { recursive: true });
    for (const name of readdirSync(join(directory, PARTIAL))) rmSync(join(directory, PARTIAL, name));
  }

  /** Returns the path of an object. @throws Error for a key that is not a unique path. */
  #path(bucket: string, key: string, folder = ''): string {
    if (key.split('/').some((part) => ['', '.', '..'].includes(part))) {
      throw new Error(`the embedded S3 cannot keep an object under the key ${key}`);
    }
    return join(this.#directory, folder, bucket, key);
  }

  #write(path: string, content: Buffer | string): void {
    mkdirSync(dirname(path), { recursive: true });
    writeFileAtomically(path, content, { partial: join(this.#directory, PARTIAL, randomUUID()) });
  }

  insertBucket(name: string): void {
    mkdirSync(join(this.#directory, name), { recursive: true });
  }

  /**
   * Writes the headers first, with those of the previous object, which remains if a kill or a full disk comes
   * in between.
   */
  upsertObject(bucket: string, { body, ...details }: StoredObject): void {
    const path = this.#path(bucket, details.key);
    const beside = this.#detailsPath(bucket, details.key);
    const previous = this.#standing(path, beside);
    this.#write(beside, JSON.stringify({ ...details, ...(previous === null ? {} : { previous }) }));
    this.#write(path, body);
  }

  /** Returns etag and length of the current object, or null if there is none. */
  #standing(path: string, beside: string): Described | null {
    const body = statSync(path, { throwIfNoEntry: false });
    const details = body === undefined ? null : readDetails(beside);
    if (body === undefined || details === null) return null;
    // The write before this one may have failed after its headers.
    const { etag, contentLength } = isNewer(body, statSync(beside), details)
      ? details
      : (details.previous ?? details);
    return { etag, contentLength };
  }

  #detailsPath(bucket: string, key: string): string {
    return `${this.#path(bucket, key, DETAILS)}.json`;
  }

  readBody(bucket: string, key: string): Buffer {
    return readFileSync(this.#path(bucket, key));
  }

  deleteObject(bucket: string, key: string): void {
    rmSync(this.#path(bucket, key), { force: true });
    rmSync(this.#detailsPath(bucket, key), { force: true });
  }

  completeMultipartUpload(_uploadId: string, bucket: string, object: StoredObject): void {
    this.upsertObject(bucket, object);
  }

  /** Parts of a multipart upload are in memory only: after a kill the upload has to start again. */
  insertMultipartUpload(): void {}
  upsertMultipartPart(): void {}
  deleteMultipartUpload(): void {}
  saveBucketLifecycleConfiguration(): void {}
  deleteBucketLifecycleConfiguration(): void {}

  close(): void {}

  /** Loads the objects of a bucket into fauxqs. A damaged object is missing, with a notice. */
  load(store: ObjectIndex, bucket: string): void {
    const root = join(this.#directory, DETAILS, bucket);
    if (!existsSync(root)) return;
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((candidate) => candidate.isFile())) {
      const path = join(entry.parentPath, entry.name);
      const details = readDetails(path);
      if (details === null) {
        this.#notice(`${path} is damaged: the object that it describes is missing`);
        continue;
      }
      const found = statSync(this.#path(bucket, details.key), { throwIfNoEntry: false });
      // The headers were written, the object was not, so the write was not acknowledged.
      if (found === undefined) continue;
      const description = this.#describe(bucket, details, found, statSync(path));
      if (description === null) {
        this.#notice(`${this.#path(bucket, details.key)} is damaged: the object is missing`);
        continue;
      }
      store.restoreObject(bucket, {
        ...details,
        ...description,
        body: Buffer.alloc(0),
        lastModified: new Date(String(details['lastModified'])),
      });
    }
  }

  /**
   * Returns what differs from the headers, or null if the body is neither the new object nor the previous
   * one.
   */
  #describe(bucket: string, details: Details, body: Stats, headers: Stats): UnknownRecord | null {
    const { previous } = details;
    if (isNewer(body, headers, details)) return {};
    const content = this.readBody(bucket, details.key);
    const etag = `"${createHash('md5').update(content).digest('hex')}"`;
    const is = (one: Described): boolean =>
      one.contentLength === content.length && (one.etag === etag || one.etag.includes('-'));
    if (is(details)) return {};
    if (previous === undefined || !is(previous)) return null;
    return {
      ...previous,
      checksumAlgorithm: undefined,
      checksumValue: undefined,
      checksumType: undefined,
      parts: undefined,
    };
  }
}

interface Described {
  readonly etag: string;
  /** Bytes. */
  readonly contentLength: number;
}
interface Details extends Described {
  readonly key: string;
  readonly previous?: Described;
  readonly [detail: string]: unknown;
}

/** Returns true if the object was written after its headers, with their length. */
const isNewer = (body: Stats, headers: Stats, { contentLength }: Described): boolean =>
  body.size === contentLength && body.mtimeMs >= headers.mtimeMs;
const isDescribed = (value: unknown): boolean =>
  isRecord(value) && typeof value['etag'] === 'string' && typeof value['contentLength'] === 'number';

/** Reads the headers of an object. Returns null if they are damaged. */
function readDetails(path: string): Details | null {
  try {
    const details: unknown = JSON.parse(readFileSync(path, 'utf8'));
    const whole = isRecord(details) && typeof details['key'] === 'string' && isDescribed(details);
    return whole && (details['previous'] === undefined || isDescribed(details['previous']))
      ? (details as unknown as Details)
      : null;
  } catch {
    return null;
  }
}
