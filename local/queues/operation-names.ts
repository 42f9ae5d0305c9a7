/** The name of the S3 operation that a request asks for, as CloudTrail and the bill have it. */
export function s3OperationName(
  method: string,
  url: string,
  headers: Readonly<Record<string, unknown>>,
): string {
  const { pathname, searchParams } = new URL(url, 'http://localhost');
  const [, bucket = '', ...key] = pathname.split('/');
  const has = (name: string) => searchParams.has(name);
  if (bucket === '') return 'ListBuckets';
  if (key.join('/') === '') {
    if (method === 'GET') return has('lifecycle') ? 'GetBucketLifecycleConfiguration' : 'ListObjectsV2';
    return { PUT: 'CreateBucket', HEAD: 'HeadBucket', DELETE: 'DeleteBucket' }[method] ?? 'DeleteObjects';
  }
  if (method === 'PUT' && has('partNumber')) return 'UploadPart';
  if (method === 'PUT') return headers['x-amz-copy-source'] === undefined ? 'PutObject' : 'CopyObject';
  if (method === 'POST') return has('uploads') ? 'CreateMultipartUpload' : 'CompleteMultipartUpload';
  if (method === 'DELETE') return has('uploadId') ? 'AbortMultipartUpload' : 'DeleteObject';
  return method === 'HEAD' ? 'HeadObject' : 'GetObject';
}

/** The SQS operation in an `X-Amz-Target` header. */
export const sqsOperationName = (target: unknown): string => String(target).split('.')[1] ?? 'Unknown';
