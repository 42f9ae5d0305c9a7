import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2 } from 'aws-lambda';
import { WEB_PAGE_HTML_FILE } from '../../shared/api/page-paths.ts';
import { loadPageFiles } from './page-files.ts';

/**
 * Nothing but our own files: no script or style in the page or from elsewhere, no request to another origin, no frame around it, and
 * no text that becomes markup. The token lives in the page's memory; these are what keeps others from reading it there.
 */
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  // Pictures that gates have taken come with the token, and are shown from memory.
  "img-src 'self' blob:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** Sent with every file. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'strict-transport-security': 'max-age=31536000',
};

/** Lambda says where the function's own folder is. */
const files = loadPageFiles(process.env['LAMBDA_TASK_ROOT'] ?? '.');

/** Serves the page and its files. It may do nothing else: its role can write its own log. */
export const handler = async (event: APIGatewayProxyEventV2): Promise<APIGatewayProxyStructuredResultV2> => {
  const name = event.pathParameters?.['file'] ?? WEB_PAGE_HTML_FILE;
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
