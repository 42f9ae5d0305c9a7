import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { TABLE } from './resources.ts';

const SDK = createRequire(import.meta.url).resolve('@aws-sdk/client-s3');

/** Code that sends AWS requests without an SDK, as every fixture function needs it. */
const AWS = `
const call = async (endpoint, target, body) => {
  const headers = { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': target, authorization: 'Bearer ' + process.env.AWS_SECRET_ACCESS_KEY };
  const answer = await fetch(endpoint, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};
const { AWS_ENDPOINT_URL_DYNAMODB: dynamodb, AWS_ENDPOINT_URL_SQS: sqs, TABLE, QUEUE, BUCKET } = process.env;
`;

const FUNCTIONS: Readonly<Record<string, string>> = {
  authorizer: `exports.handler = async (event) => {
    const token = event.identitySource[0].replace('Bearer ', '');
    const pk = 'token#' + require('node:crypto').createHash('sha256').update(token).digest('hex');
    const { Item } = await call(dynamodb, 'DynamoDB_20120810.GetItem', { TableName: TABLE, Key: { pk: { S: pk }, sk: { S: 'token' } } });
    return { isAuthorized: Item !== undefined, context: { name: Item?.name?.S } };
  };`,
  api: `exports.handler = async (event) => {
    const { name } = event.requestContext.authorizer.lambda;
    const Item = { pk: { S: event.pathParameters.id }, sk: { S: 'it' }, by: { S: name } };
    await call(dynamodb, 'DynamoDB_20120810.PutItem', { TableName: TABLE, Item });
    return { statusCode: 202 };
  };`,
  reader: `exports.handler = async ({ Records }) => {
    for (const { dynamodb: { NewImage } } of Records) {
      await call(sqs, 'AmazonSQS.SendMessage', { QueueUrl: QUEUE, MessageBody: JSON.stringify(NewImage) });
    }
    console.log(JSON.stringify({ _aws: { Timestamp: Date.now(), CloudWatchMetrics: [] } }));
  };`,
  // A bundle of its own would have the SDK in it.
  writer: `const { PutObjectCommand, S3Client } = require(${JSON.stringify(SDK)});
  exports.handler = async ({ Records }) => {
    for (const { body } of Records) {
      const { pk, by } = JSON.parse(body);
      const Key = 'records/' + pk.S + '.jsonl';
      await new S3Client({}).send(new PutObjectCommand({ Bucket: BUCKET, Key, Body: by.S }));
    }
  };`,
};

const lambda = (name: string): Record<string, unknown> => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    FunctionName: name,
    Code: { S3Bucket: 'assets', S3Key: `${name}.zip` },
    Environment: {
      Variables: { TABLE: { Ref: 'Things' }, QUEUE: { Ref: 'Queue' }, BUCKET: { Ref: 'Bucket' } },
    },
    Handler: 'index.handler',
    Runtime: 'nodejs24.x',
    Timeout: 10,
  },
});

const arn = (name: string) => ({ 'Fn::GetAtt': [name, 'Arn'] });

const TEMPLATE = {
  Resources: {
    Things: { Type: TABLE.type, Properties: TABLE.properties },
    Queue: { Type: 'AWS::SQS::Queue' },
    Bucket: { Type: 'AWS::S3::Bucket' },
    Policy: { Type: 'AWS::IAM::Policy' },
    authorizer: lambda('authorizer'),
    api: lambda('api'),
    reader: lambda('reader'),
    writer: lambda('writer'),
    Stream: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Things', 'StreamArn'] },
        FunctionName: { Ref: 'reader' },
        StartingPosition: 'TRIM_HORIZON',
        MaximumBatchingWindowInSeconds: 300,
        FilterCriteria: { Filters: [{ Pattern: '{"dynamodb":{"Keys":{"sk":{"S":["it"]}}}}' }] },
      },
    },
    Messages: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: { EventSourceArn: arn('Queue'), FunctionName: { Ref: 'writer' } },
    },
    Api: { Type: 'AWS::ApiGatewayV2::Api', Properties: { ProtocolType: 'HTTP' } },
    Authorizer: {
      Type: 'AWS::ApiGatewayV2::Authorizer',
      Properties: {
        AuthorizerType: 'REQUEST',
        AuthorizerPayloadFormatVersion: '2.0',
        AuthorizerResultTtlInSeconds: 0,
        AuthorizerUri: arn('authorizer'),
        EnableSimpleResponses: true,
        IdentitySource: ['$request.header.Authorization'],
      },
    },
    Integration: {
      Type: 'AWS::ApiGatewayV2::Integration',
      Properties: { IntegrationType: 'AWS_PROXY', IntegrationUri: arn('api'), PayloadFormatVersion: '2.0' },
    },
    Route: {
      Type: 'AWS::ApiGatewayV2::Route',
      Properties: {
        ApiId: { Ref: 'Api' },
        RouteKey: 'PUT /things/{id}',
        Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'Integration' }]] },
        AuthorizationType: 'CUSTOM',
        AuthorizerId: { Ref: 'Authorizer' },
      },
    },
  },
};

/**
 * Writes an assembly whose one route puts an item; the stream sends it to a queue, and from there it gets into a file.
 * `more` are further resources.
 */
export function writeAssembly(directory: string, more: Readonly<Record<string, unknown>> = {}): string {
  const write = (file: string, value: unknown): void =>
    writeFileSync(join(directory, file), typeof value === 'string' ? value : JSON.stringify(value));
  mkdirSync(directory, { recursive: true });
  for (const [name, source] of Object.entries(FUNCTIONS)) {
    mkdirSync(join(directory, name), { recursive: true });
    write(`${name}/package.json`, '{"type":"commonjs"}');
    write(`${name}/index.js`, AWS + source);
  }
  write('manifest.json', {
    artifacts: {
      Fixture: { type: 'aws:cloudformation:stack', properties: { templateFile: 'template.json' } },
      Assets: { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } },
    },
  });
  const files = Object.keys(FUNCTIONS).map((name) => [
    name,
    { source: { path: name }, destinations: { here: { objectKey: `${name}.zip` } } },
  ]);
  write('assets.json', { files: Object.fromEntries(files) });
  write('template.json', { Resources: { ...TEMPLATE.Resources, ...more } });
  return directory;
}
