import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { OBJECT_LOCK_PREFIXES } from '../contract/resource-names.ts';
import { sha256 } from '../lib/sha256.ts';

/** Seconds that a presigned URL is good for: long enough to start a container and upload a patch, short enough to be useless later. */
export const PRESIGNED_URL_SECONDS = 900;

/** How often a put is tried that meets another of the same object. */
const MAX_RACES = 5;

/** The digest in the name of an object that is named by its content; see `objectKey`. */
const DIGEST = /-([0-9a-f]{64})\.[a-z.]+$/;

/** What S3 says of an object that is not there, or is another than was read. */
const GONE: ReadonlySet<string> = new Set([
  'NoSuchKey',
  'NotFound',
  // So it calls what is not there, for whoever may not list the bucket.
  'AccessDenied',
  'PreconditionFailed',
  'ConditionalRequestConflict',
]);

/** Leave to write one object, once. */
export interface PresignedUpload {
  readonly url: string;
  /** To be sent as they are: the signature covers them. */
  readonly headers: Record<string, string>;
}

/** S3 asks for a digest of whatever goes into a locked bucket; it is good for all others, too. */
const digestOf = (body: string): string => Buffer.from(sha256(body), 'hex').toString('base64');

/** Objects of the one bucket, and of the locked one where there is such. */
export class ObjectStore {
  readonly #s3: S3Client;
  readonly #bucket: string;
  readonly #locked: string;

  constructor(s3: S3Client, bucket: string, locked: string = bucket) {
    this.#s3 = s3;
    this.#bucket = bucket;
    this.#locked = locked;
  }

  #at(key: string): { Bucket: string; Key: string } {
    const isLocked = OBJECT_LOCK_PREFIXES.some((prefix) => key.startsWith(prefix));
    return { Bucket: isLocked ? this.#locked : this.#bucket, Key: key };
  }

  async put(key: string, body: string, contentType: string): Promise<void> {
    await this.#s3.send(
      new PutObjectCommand({
        ...this.#at(key),
        Body: body,
        ContentType: contentType,
        ChecksumSHA256: digestOf(body),
      }),
    );
  }

  /** Writes an object that is named by its content. There is nothing to do when it is there. */
  async putIfAbsent(key: string, body: string, contentType: string): Promise<void> {
    for (let race = 0; ; race++) {
      try {
        await this.#s3.send(
          new PutObjectCommand({
            ...this.#at(key),
            Body: body,
            ContentType: contentType,
            ChecksumSHA256: digestOf(body),
            IfNoneMatch: '*',
          }),
        );
        return;
      } catch (error) {
        const name = error instanceof Error ? error.name : '';
        if (name === 'PreconditionFailed') return;
        // Somebody is writing the same just now; it may still come to nothing.
        if (name !== 'ConditionalRequestConflict' || race === MAX_RACES) throw error;
      }
    }
  }

  /**
   * Puts another content in the place of an object, as long as it is there and nobody has changed it. False when there is none, or not
   * any more: what somebody has removed does not come back.
   */
  async replace(
    key: string,
    alter: (body: string) => Promise<string>,
    contentType: string,
  ): Promise<boolean> {
    try {
      const { Body, ETag } = await this.#s3.send(new GetObjectCommand(this.#at(key)));
      const body = await alter((await Body?.transformToString('utf8')) ?? '');
      const replaced = {
        ...this.#at(key),
        Body: body,
        ContentType: contentType,
        IfMatch: ETag,
      };
      await this.#s3.send(new PutObjectCommand(replaced));
      return true;
    } catch (error) {
      if (error instanceof Error && GONE.has(error.name)) return false;
      throw error;
    }
  }

  async get(key: string): Promise<string> {
    const answer = await this.#s3.send(new GetObjectCommand(this.#at(key)));
    return (await answer.Body?.transformToString('utf8')) ?? '';
  }

  /** Bytes of an object from `offset` on, at most `most`, and how many it has in all; null when there is none, or it has not so many. */
  async getRange(
    key: string,
    offset: number,
    most: number,
  ): Promise<{ body: Uint8Array; bytes: number } | null> {
    try {
      const { Body, ContentRange, ContentLength } = await this.#s3.send(
        new GetObjectCommand({ ...this.#at(key), Range: `bytes=${offset}-${offset + most - 1}` }),
      );
      const body = (await Body?.transformToByteArray()) ?? new Uint8Array();
      const bytes = Number(ContentRange?.split('/')[1] ?? ContentLength ?? body.length);
      return { body, bytes };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      // An empty object has no first byte.
      if (error.name === 'InvalidRange') return offset === 0 ? { body: new Uint8Array(), bytes: 0 } : null;
      if (GONE.has(error.name)) return null;
      throw error;
    }
  }

  /** As `get`, for an object that is named by its content. Throws when it holds anything else. */
  async getByDigest(key: string): Promise<string> {
    const text = await this.get(key);
    if (sha256(text) !== DIGEST.exec(key)?.[1]) throw new Error(`${key} does not hold what its name says`);
    return text;
  }

  /** A URL that reads one object, made without a request. */
  presignGet(key: string, seconds: number = PRESIGNED_URL_SECONDS): Promise<string> {
    return getSignedUrl(this.#s3, new GetObjectCommand(this.#at(key)), {
      expiresIn: seconds,
    });
  }

  /** A URL that removes one object, made without a request. */
  presignDelete(key: string, seconds: number = PRESIGNED_URL_SECONDS): Promise<string> {
    return getSignedUrl(this.#s3, new DeleteObjectCommand(this.#at(key)), {
      expiresIn: seconds,
    });
  }

  /** A URL that writes one object, whatever it holds, made without a request. `once`: only while there is none. */
  presignPut(key: string, once: boolean, seconds: number = PRESIGNED_URL_SECONDS): Promise<string> {
    return getSignedUrl(
      this.#s3,
      new PutObjectCommand({ ...this.#at(key), ...(once ? { IfNoneMatch: '*' } : {}) }),
      { expiresIn: seconds },
    );
  }

  /**
   * Leave to write exactly these bytes under `key`, while nothing lies there: length, digest and condition are signed headers, so
   * whoever holds the URL can neither write anything else nor write it twice.
   */
  async presignUpload(
    key: string,
    content: { readonly sha256: string; readonly bytes: number },
    seconds: number = PRESIGNED_URL_SECONDS,
  ): Promise<PresignedUpload> {
    const headers = {
      'content-length': String(content.bytes),
      'if-none-match': '*',
      'x-amz-checksum-sha256': Buffer.from(content.sha256, 'hex').toString('base64'),
    };
    const url = await getSignedUrl(
      this.#s3,
      new PutObjectCommand({
        ...this.#at(key),
        ContentLength: content.bytes,
        IfNoneMatch: '*',
        ChecksumSHA256: headers['x-amz-checksum-sha256'],
      }),
      // As a parameter of the query S3 would not check it.
      { expiresIn: seconds, unhoistableHeaders: new Set(['x-amz-checksum-sha256']) },
    );
    return { url, headers };
  }
}
