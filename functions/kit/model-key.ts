import type { ModelKey } from '../../shared/models/key.ts';

/** Seconds that a key is remembered: a new one is taken up within that time. */
const KEPT_SECONDS = 300;

async function read(key: ModelKey): Promise<string | undefined> {
  switch (key.via) {
    case 'environment':
      return process.env[key.variable];
    case 'secret': {
      const { getSecret } = await import('@aws-lambda-powertools/parameters/secrets');
      return getSecret(key.arn, { maxAge: KEPT_SECONDS }) as Promise<string | undefined>;
    }
    case 'parameter': {
      const { getParameter } = await import('@aws-lambda-powertools/parameters/ssm');
      return getParameter(key.name, { maxAge: KEPT_SECONDS, decrypt: true });
    }
  }
}

/** The key of a provider; null when it is not where it should be. */
export async function keyOf(key: ModelKey): Promise<string | null> {
  return (await read(key))?.trim() || null;
}
