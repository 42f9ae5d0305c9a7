import type { ModelApiKeySource } from '../../shared/contract/models/model-key.ts';
import { readCachedSecret, SECRET_CACHE_SECONDS } from './secrets.ts';

async function read(key: ModelApiKeySource): Promise<string | undefined> {
  switch (key.via) {
    case 'environment':
      return process.env[key.variable];
    case 'secret':
      return readCachedSecret(key.arn);
    case 'parameter': {
      const { getParameter } = await import('@aws-lambda-powertools/parameters/ssm');
      return getParameter(key.name, { maxAge: SECRET_CACHE_SECONDS, decrypt: true });
    }
  }
}

/** The key of a provider; null when it is not where it should be. */
export async function readModelKey(key: ModelApiKeySource): Promise<string | null> {
  return (await read(key))?.trim() || null;
}
