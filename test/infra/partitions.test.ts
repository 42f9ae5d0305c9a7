import { describe, expect, it } from 'vitest';
import { synthesise } from './synthesise.ts';

const SETTINGS = {
  'assay:keyArn': 'arn:aws:kms:us-east-1:123456789012:key/1234abcd',
  'assay:imageBuild': 'codebuild',
  'assay:network': 'private-nat',
};
const text = JSON.stringify(synthesise(SETTINGS).toJSON()).replaceAll(SETTINGS['assay:keyArn'], '');

describe('the template in aws-cn and aws-us-gov', () => {
  it('names the partition of no other in an ARN', () => {
    expect(text.match(/.{0,60}arn:aws[a-z-]*:.{0,60}/g) ?? []).toEqual([]);
  });

  it('names no host of another partition: only principals of services, which are the same in all', () => {
    const hosts = new Set(text.match(/[a-z0-9.-]*amazonaws\.com(?:\.cn)?/g));
    expect([...hosts].filter((host) => !/^[a-z-]+\.amazonaws\.com$/.test(host))).toEqual([]);
  });
});
