import type { Provider } from '../../shared/models/providers.ts';

/** Seconds that a key is remembered: a new one is taken up within that time. */
const KEPT_SECONDS = 300;

type KeyedProvider = Exclude<Provider, { via: 'bedrock' }>;

async function read(provider: KeyedProvider): Promise<string | undefined> {
  switch (provider.via) {
    case 'environment':
      return process.env[provider.variable];
    case 'secret': {
      const { getSecret } = await import('@aws-lambda-powertools/parameters/secrets');
      return getSecret(provider.arn, { maxAge: KEPT_SECONDS }) as Promise<string | undefined>;
    }
    case 'parameter': {
      const { getParameter } = await import('@aws-lambda-powertools/parameters/ssm');
      return getParameter(provider.name, { maxAge: KEPT_SECONDS, decrypt: true });
    }
  }
}

/** The key of a provider; null when it is not where it should be. */
export async function keyOf(provider: KeyedProvider): Promise<string | null> {
  const key = (await read(provider))?.trim();
  return key ? key : null;
}
