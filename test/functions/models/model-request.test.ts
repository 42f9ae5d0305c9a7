import type { APIGatewayProxyEvent, LambdaFunctionURLEvent } from 'aws-lambda';
import { describe, expect, it } from 'vitest';
import { extractModelToken, parseModelRequest } from '../../../functions/models/model-request.ts';

const body = Buffer.from('{"model":"m"}').toString('base64');
const common = { body, isBase64Encoded: true, queryStringParameters: { beta: 'true' } };

describe('a request to the model gateway', () => {
  it('is the same by the URL of the function and by a REST API, which keeps the capitals of headers', () => {
    const byUrl = parseModelRequest({
      ...common,
      rawPath: '/v1/messages',
      headers: { authorization: 'Bearer t', 'content-type': 'application/json' },
      requestContext: { http: { method: 'POST' } },
    } as unknown as LambdaFunctionURLEvent);
    const byRestApi = parseModelRequest({
      ...common,
      path: '/v1/messages',
      httpMethod: 'POST',
      headers: { Authorization: 'Bearer t', 'Content-Type': 'application/json' },
    } as unknown as APIGatewayProxyEvent);
    expect(byRestApi).toEqual(byUrl);
    expect(extractModelToken(byRestApi)).toBe('t');
    expect(byRestApi.body.toString()).toBe('{"model":"m"}');
  });
});
