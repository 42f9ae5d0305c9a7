import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { readModelKey } from '../../../functions/runtime/model-key.ts';
import { mockAwsClient } from '../../support/mock-aws-client.ts';

const secrets = mockAwsClient(SecretsManagerClient);
const parameters = mockAwsClient(SSMClient);
beforeEach(() => {
  secrets.reset();
  parameters.reset();
  vi.stubEnv('AWS_REGION', 'us-east-1');
});
const arn = (name: string): string => `arn:aws:secretsmanager:us-east-1:123456789012:secret:${name}-AbCdEf`;

describe('the key of a provider', () => {
  it('is read from its secret, once, and without the line end that people put behind it', async () => {
    secrets.on(GetSecretValueCommand, { SecretId: arn('one') }).resolves({ SecretString: 'sk-secret\n' });
    const provider = { via: 'secret', arn: arn('one') } as const;
    expect([await readModelKey(provider), await readModelKey(provider)]).toEqual(['sk-secret', 'sk-secret']);
    expect(secrets.commandCalls(GetSecretValueCommand)).toHaveLength(1);
  });

  it('is read from its parameter, decrypted', async () => {
    parameters.on(GetParameterCommand).resolves({ Parameter: { Value: 'sk-parameter' } });
    expect(await readModelKey({ via: 'parameter', name: '/keys/one' })).toBe('sk-parameter');
    expect(parameters.commandCalls(GetParameterCommand)[0]?.args[0].input).toMatchObject({
      Name: '/keys/one',
      WithDecryption: true,
    });
  });

  it('is not there where it is empty', async () => {
    secrets.on(GetSecretValueCommand).resolves({ SecretString: ' \n' });
    expect(await readModelKey({ via: 'secret', arn: arn('empty') })).toBeNull();
    vi.stubEnv('NO_KEY', '');
    expect(await readModelKey({ via: 'environment', variable: 'NO_KEY' })).toBeNull();
  });
});
