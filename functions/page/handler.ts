import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { PAGE_FILE } from '../../shared/api/page-paths.ts';
import { loadPageFiles } from './page-files.ts';
import { SECURITY_HEADERS } from './security-headers.ts';

/** Lambda says where the function's own folder is. */
const files = loadPageFiles(process.env['LAMBDA_TASK_ROOT'] ?? '.');

/** Serves the page and its files. It may do nothing else: its role can write its own log. */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const name = event.pathParameters?.['file'] ?? PAGE_FILE;
  const file = files.get(name);
  if (file === undefined)
    return {
      statusCode: 404,
      headers: { ...SECURITY_HEADERS, 'content-type': 'text/plain; charset=utf-8' },
      body: 'There is no such file.\n',
    };
  const headers = {
    ...SECURITY_HEADERS,
    etag: file.etag,
    vary: 'accept-encoding',
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  if (event.headers['if-none-match'] === file.etag) return { statusCode: 304, headers };
  const zipped = /\bgzip\b/.test(event.headers['accept-encoding'] ?? '');
  return {
    statusCode: 200,
    headers: { ...headers, 'content-type': file.type, ...(zipped && { 'content-encoding': 'gzip' }) },
    body: zipped ? file.gzip : file.text,
    isBase64Encoded: zipped,
  };
};
