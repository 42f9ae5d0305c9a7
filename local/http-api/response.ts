import type { OutgoingHttpHeaders } from 'node:http';
import { isRecord } from '../resource-properties.ts';

export interface ApiResponse {
  readonly status: number;
  readonly headers: OutgoingHttpHeaders;
  readonly body: Buffer;
}

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  413: 'Request Entity Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Creates the answer that API Gateway itself gives. */
export const gatewayErrorResponse = (status: 401 | 403 | 404 | 413 | 429 | 500 | 503): ApiResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from(JSON.stringify({ message: MESSAGES[status] })),
});

/**
 * Converts the result of a function into a response, by payload format 2.0: with a status code or without.
 */
export function toApiResponse(payload: unknown): ApiResponse {
  if (!isRecord(payload) || payload['statusCode'] === undefined) {
    const text = typeof payload === 'string' ? payload : JSON.stringify(payload ?? null);
    return { status: 200, headers: { 'content-type': 'application/json' }, body: Buffer.from(text) };
  }
  const status = Number(payload['statusCode']);
  if (!Number.isInteger(status) || status < 200 || status > 599) return gatewayErrorResponse(500);
  const { body, headers, cookies } = payload;
  if (body !== undefined && body !== null && typeof body !== 'string') return gatewayErrorResponse(500);
  const own = Object.entries(isRecord(headers) ? headers : {});
  const text = body ?? '';
  return {
    status,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      ...Object.fromEntries(own.map(([name, value]) => [name.toLowerCase(), String(value)])),
      ...(Array.isArray(cookies) ? { 'set-cookie': cookies.map(String) } : {}),
    },
    body: Buffer.from(text, payload['isBase64Encoded'] === true ? 'base64' : 'utf8'),
  };
}
