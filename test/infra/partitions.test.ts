import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { listMissingOfferings } from '../../infra/region-offerings.ts';
import { readSettings } from '../../infra/settings.ts';
import { synthesise } from './synthesise.ts';

const SETTINGS = {
  'assay:keyArn': 'arn:aws:kms:us-east-1:123456789012:key/1234abcd',
  'assay:imageBuild': 'codebuild',
  'assay:network': 'private-nat',
};
const settings = (context: Record<string, unknown> = {}) => readSettings(new App({ context }).node);
const render = (context: Record<string, unknown>) =>
  JSON.stringify(synthesise(context).toJSON()).replaceAll(SETTINGS['assay:keyArn'], '');

describe.each([
  ['with built images', SETTINGS],
  ['with a private gateway', { ...SETTINGS, 'assay:modelEndpoint': 'private' }],
])('the template in aws-cn and aws-us-gov %s', (_, context) => {
  const text = render(context);

  it('names the partition of no other in an ARN', () => {
    expect(text.match(/.{0,60}arn:aws[a-z-]*:.{0,60}/g) ?? []).toEqual([]);
  });

  it('names no host of another partition: only principals of services, which are the same in all', () => {
    const hosts = new Set(text.match(/[a-z0-9.-]*amazonaws\.com(?:\.cn)?/g));
    expect([...hosts].filter((host) => !/^[a-z-]+\.amazonaws\.com$/.test(host))).toEqual([]);
  });
});

describe('what a Region does not offer', () => {
  const REST_API = { 'assay:modelEndpoint': 'rest-api' };
  const KEY = {
    'assay:models': '{"anthropic":{"via":"parameter","name":"/assay/anthropic"}}',
  };

  it.each([
    ['us-east-1', {}, []],
    ['ap-northeast-1', {}, []],
    ['eu-south-2', {}, ['eu-south-2 has no function URLs']],
    ['eu-south-2', REST_API, []],
    ['us-gov-west-1', {}, ['Amazon Bedrock in us-gov-west-1 has no current models of anthropic']],
    [
      'cn-north-1',
      {},
      ['cn-north-1 has no function URLs', 'Amazon Bedrock in cn-north-1 has no current models'],
    ],
    ['cn-north-1', { ...REST_API, ...KEY }, []],
    ['cn-north-1', { 'assay:modelGateway': 'https://models.example' }, []],
  ])('is said of %s with %j', (region, context, sentences) => {
    const said = listMissingOfferings(region, settings(context));
    expect(said).toHaveLength(sentences.length);
    for (const [n, sentence] of sentences.entries()) expect(said[n]).toContain(sentence);
  });

  it('is not known before the Region is', () => {
    expect(listMissingOfferings(undefined, settings())).toEqual([]);
  });
});
