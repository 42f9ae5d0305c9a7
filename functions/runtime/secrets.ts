import type * as z from 'zod';
import type { GitCredentialsSource } from '../../shared/contract/repository/git-secret.ts';

/** Seconds that a secret or a key is remembered: a new one is taken up within that time. */
export const SECRET_CACHE_SECONDS = 300;

/** The text of a secret of Secrets Manager; undefined when there is none. */
export async function readCachedSecret(arn: string): Promise<string | undefined> {
  const { getSecret } = await import('@aws-lambda-powertools/parameters/secrets');
  return getSecret(arn, { maxAge: SECRET_CACHE_SECONDS }) as Promise<string | undefined>;
}

async function read(place: GitCredentialsSource): Promise<string | undefined> {
  if (place.via === 'none') return undefined;
  return place.via === 'environment' ? process.env[place.variable] : readCachedSecret(place.arn);
}

/**
 * Reads a secret of this shape.
 * @param whose as errors name it. @throws Error that names the field that is wrong, and nothing of what is in it.
 */
export async function readParsedSecret<S extends z.ZodType>(
  whose: string,
  schema: S,
  place: GitCredentialsSource,
): Promise<z.output<S>> {
  const text = await read(place);
  if (!text) throw new Error(`the deployment has no secret for ${whose}`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error(`the secret for ${whose} is not JSON`);
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => `/${issue.path.join('/')}`).join(', ');
  throw new Error(`the secret for ${whose} is wrong at ${fields}`);
}
