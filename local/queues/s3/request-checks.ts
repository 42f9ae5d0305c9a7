import type { FauxqsApp, FauxqsReply, FauxqsRequest, S3Store } from '../fauxqs.ts';
import { type AwsChunkedDecoder, checkContentLength, checkUploadBody } from './body-check.ts';
import { checkPreconditions } from './preconditions.ts';
import { type S3Error, s3ErrorDocument } from './s3-error.ts';
import { checkSignature, type SignatureOptions } from './signature-check.ts';

export interface S3RequestCheckOptions {
  readonly store: Pick<S3Store, 'headObject'>;
  readonly signatures: SignatureOptions;
  readonly decodeChunked: AwsChunkedDecoder;
  /** Largest upload in bytes. */
  readonly mostBytes: number;
}

/** The methods that write an object. */
const WRITES = new Set(['PUT', 'POST', 'DELETE']);

/** Returns true for requests to S3: those to SQS are POST requests on the root. */
export const isS3Request = ({
  method,
  originalUrl,
}: Pick<FauxqsRequest, 'method' | 'originalUrl'>): boolean =>
  method !== 'POST' || !/^\/(\?|$)/.test(originalUrl);

/** Adds the checks of S3 that fauxqs lacks: of the headers before the body is read, then of the body. */
export function addS3RequestChecks(app: FauxqsApp, options: S3RequestCheckOptions): void {
  const { store, signatures, decodeChunked, mostBytes } = options;
  app.addHook('onRequest', async (request, reply) => {
    if (!isS3Request(request)) return;
    const { method, originalUrl: url, headers } = request;
    const refused =
      (await checkSignature({ method, url, headers }, signatures)) ??
      (method === 'PUT' ? checkContentLength(headers, mostBytes) : null);
    if (refused !== null) await answer(request, reply, refused);
  });
  // Nothing waits between this hook and the write: so a condition that holds here holds there.
  app.addHook('preHandler', (request, reply, done) => {
    const { bucket, '*': key } = (request.params ?? {}) as { bucket?: string; '*'?: string };
    const { method, headers, body } = request;
    const refused =
      isS3Request(request) && WRITES.has(method) && bucket && key
        ? (checkUploadBody(headers, Buffer.isBuffer(body) ? body : Buffer.alloc(0), decodeChunked) ??
          checkPreconditions(store, bucket, key, headers))
        : null;
    if (refused === null) done();
    else void answer(request, reply, refused);
  });
}

function answer({ method }: FauxqsRequest, reply: FauxqsReply, refused: S3Error): FauxqsReply {
  const sent = reply.status(refused.status).header('content-type', 'application/xml');
  return sent.send(method === 'HEAD' ? '' : s3ErrorDocument(refused));
}
