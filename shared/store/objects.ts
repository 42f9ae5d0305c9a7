import { GetObjectCommand, PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';

/** Seconds that a presigned URL is good for: long enough to start a container and upload a patch, short enough to be useless later. */
export const PRESIGN_SECONDS = 900;

/** Objects of the one bucket. */
export class ObjectStore {
  readonly #s3: S3Client;
  readonly #bucket: string;

  constructor(s3: S3Client, bucket: string) {
    this.#s3 = s3;
    this.#bucket = bucket;
  }

  async put(key: string, body: string, contentType: string): Promise<void> {
    await this.#s3.send(
      new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: body, ContentType: contentType }),
    );
  }

  async get(key: string): Promise<string> {
    const answer = await this.#s3.send(new GetObjectCommand({ Bucket: this.#bucket, Key: key }));
    return (await answer.Body?.transformToString('utf8')) ?? '';
  }

  /** A URL that reads one object, made without a request. */
  presignGet(key: string, seconds: number = PRESIGN_SECONDS): Promise<string> {
    return getSignedUrl(this.#s3, new GetObjectCommand({ Bucket: this.#bucket, Key: key }), {
      expiresIn: seconds,
    });
  }

  /** A URL that writes one object, made without a request. */
  presignPut(key: string, seconds: number = PRESIGN_SECONDS): Promise<string> {
    return getSignedUrl(this.#s3, new PutObjectCommand({ Bucket: this.#bucket, Key: key }), {
      expiresIn: seconds,
    });
  }
}
