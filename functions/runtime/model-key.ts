import type { ModelKey } from '../../shared/contract/models/key.ts';
import { KEPT_SECONDS, kept } from './secret.ts';

async function read(key: ModelKey): Promise<string | undefined> {
  switch (key.via) {
    case 'environment':
      return process.env[key.variable];
    case 'secret':
      return kept(key.arn);
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
