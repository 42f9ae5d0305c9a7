import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { createS3Error, type S3Error } from './s3-error.ts';

type Headers = Readonly<Record<string, unknown>>;

/** Takes the framing of `aws-chunked` off a body. */
export type AwsChunkedDecoder = (body: Buffer) => {
  readonly body: Buffer;
  readonly trailers: Readonly<Record<string, string>>;
};

const hash = (algorithm: string) => (body: Buffer) => createHash(algorithm).update(body).digest();
/** Algorithms of `x-amz-checksum-*`, and the length of their digests in bytes. */
const CHECKSUMS: ReadonlyMap<string, { readonly bytes: number; digest(body: Buffer): Buffer }> = new Map([
  ['crc32', { bytes: 4, digest: crc32Bytes }],
  ['sha1', { bytes: 20, digest: hash('sha1') }],
  ['sha256', { bytes: 32, digest: hash('sha256') }],
]);
const PREFIX = 'x-amz-checksum-';
/** Headers of the same beginning that carry no digest. */
const NO_DIGEST = new Set(['algorithm', 'mode', 'type']);

function crc32Bytes(body: Buffer): Buffer {
  const value = Buffer.alloc(4);
  value.writeUInt32BE(crc32(body));
  return value;
}

/** Returns S3's error for the announced length of an upload, or null. */
export function checkContentLength(headers: Headers, most: number): S3Error | null {
  if (headers['transfer-encoding'] !== undefined) {
    const message = 'A header you provided implies functionality that is not implemented';
    return createS3Error(501, 'NotImplemented', message, { Header: 'Transfer-Encoding' });
  }
  const length = headers['content-length'];
  if (length === undefined) {
    return createS3Error(411, 'MissingContentLength', 'You must provide the Content-Length HTTP header.');
  }
  if (Number(length) <= most) return null;
  const message = 'Your proposed upload exceeds the maximum allowed size';
  return createS3Error(400, 'EntityTooLarge', message, {
    ProposedSize: String(length),
    MaxSizeAllowed: most,
  });
}

/** Returns S3's error for a body that does not match the headers, or null. */
export function checkUploadBody(headers: Headers, raw: Buffer, decode: AwsChunkedDecoder): S3Error | null {
  const contentHash = headers['x-amz-content-sha256'];
  const streamed = String(headers['content-encoding'] ?? '').includes('aws-chunked');
  if (typeof contentHash === 'string' && contentHash.startsWith('STREAMING-AWS4')) {
    return createS3Error(
      501,
      'NotImplemented',
      'The embedded S3 does not verify signatures of single chunks.',
    );
  }
  const { body, trailers } = streamed ? decode(raw) : { body: raw, trailers: {} };
  return (
    refuseContentHash(contentHash, body) ??
    refuseDecodedLength(headers['x-amz-decoded-content-length'], body) ??
    refuseMd5(headers['content-md5'], body) ??
    refuseChecksum({ ...headers, ...trailers }, body)
  );
}

function refuseContentHash(claimed: unknown, body: Buffer): S3Error | null {
  if (typeof claimed !== 'string' || !/^[0-9a-f]{64}$/.test(claimed)) return null;
  const actual = createHash('sha256').update(body).digest('hex');
  if (actual === claimed) return null;
  return createS3Error(
    400,
    'XAmzContentSHA256Mismatch',
    "The provided 'x-amz-content-sha256' header does not match what was computed.",
    { ClientComputedContentSHA256: claimed, S3ComputedContentSHA256: actual },
  );
}

function refuseDecodedLength(claimed: unknown, body: Buffer): S3Error | null {
  if (claimed === undefined || Number(claimed) === body.length) return null;
  const message =
    'You did not provide the number of bytes specified by the x-amz-decoded-content-length HTTP header';
  return createS3Error(400, 'IncompleteBody', message);
}

function refuseMd5(claimed: unknown, body: Buffer): S3Error | null {
  if (typeof claimed !== 'string') return null;
  if (Buffer.from(claimed, 'base64').length !== 16) {
    return createS3Error(400, 'InvalidDigest', 'The Content-MD5 you specified was invalid.', {
      'Content-MD5': claimed,
    });
  }
  const actual = createHash('md5').update(body).digest('base64');
  if (actual === claimed) return null;
  const message = 'The Content-MD5 you specified did not match what we received.';
  return createS3Error(400, 'BadDigest', message, { ExpectedDigest: claimed, CalculatedDigest: actual });
}

function refuseChecksum(headers: Headers, body: Buffer): S3Error | null {
  const given = Object.keys(headers)
    .filter((name) => name.startsWith(PREFIX))
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !NO_DIGEST.has(name));
  const [name] = given;
  if (name === undefined) return null;
  if (given.length > 1) {
    return createS3Error(
      400,
      'InvalidRequest',
      'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
    );
  }
  const algorithm = CHECKSUMS.get(name);
  if (algorithm === undefined) {
    return createS3Error(501, 'NotImplemented', `The embedded S3 does not compute the checksum ${name}.`);
  }
  const claimed = String(headers[PREFIX + name]);
  const bytes = Buffer.from(claimed, 'base64');
  if (bytes.length !== algorithm.bytes || bytes.toString('base64') !== claimed) {
    return createS3Error(400, 'InvalidRequest', `Value for ${PREFIX}${name} header is invalid.`);
  }
  if (algorithm.digest(body).equals(bytes)) return null;
  const message = `The ${name.toUpperCase()} you specified did not match the calculated checksum.`;
  return createS3Error(400, 'BadDigest', message);
}
