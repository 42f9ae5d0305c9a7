import { GetSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { optionalEnv } from '../../shared/store/env.ts';

const client = new SecretsManagerClient({});

/**
 * JSON of PushCredentials (shared/contract/repository/schema.ts); null when the deployment has none. Read anew for each delivery, and remembered by
 * nobody: not in the environment, which outlives an invocation, and not in a cache.
 */
export async function readPushSecret(): Promise<string | null> {
  const arn = optionalEnv(FUNCTION_ENV_NAMES.deliverySecret, '');
  if (arn === '') return null;
  const { SecretString } = await client.send(new GetSecretValueCommand({ SecretId: arn }));
  return SecretString?.trim() || null;
}
