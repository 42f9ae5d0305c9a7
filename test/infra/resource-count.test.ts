import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { describe, expect, it } from 'vitest';
import { TOOLCHAINS } from '../../infra/images.ts';
import { JUDGES } from './judges.ts';
import { synthesise } from './synthesise.ts';

const caFile = join(mkdtempSync(join(tmpdir(), 'assay-ca-')), 'ca.pem');
writeFileSync(caFile, rootCertificates[0] ?? '');
const IMAGE = `registry.example.org/team/image@sha256:${'0'.repeat(64)}`;
const secret = (name: string) => `arn:aws:secretsmanager:us-east-1:123456789012:secret:${name}-AbCdEf`;

/** Every setting that adds resources, at its largest. */
const EVERYTHING = {
  'assay:network': 'private-nat',
  'assay:zones': '["us-east-1a","us-east-1b","us-east-1c"]',
  'assay:imageBuild': 'codebuild',
  'assay:images': JSON.stringify({
    ...Object.fromEntries(TOOLCHAINS.map((name) => [name, name])),
    ...Object.fromEntries(['own', 'other'].map((name) => [name, { agent: IMAGE, gates: IMAGE }])),
  }),
  'assay:alarmEmail': 'ops@example.com',
  'assay:notifyEmail': 'dev@example.com',
  'assay:caFile': caFile,
  'assay:judges': JUDGES,
  'assay:gitSecretArn': secret('git'),
  'assay:readScopes': '["https://github.com/acme"]',
  'assay:deliverySecretArn': secret('push'),
  'assay:pushScopes': '["https://github.com/acme"]',
  'assay:forgeSecretArn': secret('forge'),
  'assay:forges': '[{"url":"https://github.com/acme","forge":"github"}]',
  'assay:otlpEndpoint': 'https://collector.example/v1/traces',
  'assay:otlpSecretArn': secret('otlp'),
  'assay:notifySecretArn': secret('notify'),
  'assay:notify': '[{"name":"team","kind":"slack"}]',
  'assay:objectLock': '{"mode":"governance","days":30}',
  'assay:keyArn': 'arn:aws:kms:us-east-1:123456789012:key/1234abcd',
  'assay:keepVersionsDays': '30',
  'assay:modelEndpoint': 'private',
};

const countResources = (context: Record<string, unknown>): number =>
  Object.keys(synthesise(context).toJSON()['Resources']).length;

describe('the number of resources', () => {
  // CloudFormation takes 500; each later feature adds some.
  it.each([
    ['by default', {}],
    ['with private networks', { 'assay:network': 'private-nat' }],
    ['with images built in the account', { 'assay:imageBuild': 'codebuild' }],
    ['with every setting at once', EVERYTHING],
  ])('is below 400 %s', (_, context) => {
    expect(countResources(context)).toBeLessThan(400);
  });

  it('has one permission for each function that API Gateway calls, however many routes it serves', () => {
    const permissions = Object.values(synthesise().findResources('AWS::Lambda::Permission')).filter(
      ({ Properties }) => Properties.Principal === 'apigateway.amazonaws.com',
    );
    const functions = permissions.map(({ Properties }) => JSON.stringify(Properties.FunctionName));
    expect(new Set(functions).size).toBe(functions.length);
  });
});
