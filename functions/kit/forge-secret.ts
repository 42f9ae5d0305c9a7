import { ForgeSecret } from '../../shared/forge/schema.ts';
import { ENV } from '../../shared/names.ts';
import { GitSecretPlace } from '../../shared/repository/git-secret.ts';
import { requireEnv } from '../../shared/store/env.ts';

/** Seconds that the secret is remembered: a new one is taken up within that time. */
const KEPT_SECONDS = 300;

async function read(place: GitSecretPlace): Promise<string | undefined> {
  if (place.via === 'none') return undefined;
  if (place.via === 'environment') return process.env[place.variable];
  const { getSecret } = await import('@aws-lambda-powertools/parameters/secrets');
  return getSecret(place.arn, { maxAge: KEPT_SECONDS }) as Promise<string | undefined>;
}

/** What forges are spoken with. @throws Error that names the field that is wrong, and nothing of what is in it. */
export async function forgeSecret(): Promise<ForgeSecret> {
  const text = await read(GitSecretPlace.parse(JSON.parse(requireEnv(ENV.forgeSecret))));
  if (!text) throw new Error('the deployment has no secret for forges');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('the secret for forges is not JSON');
  }
  const result = ForgeSecret.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => `/${issue.path.join('/')}`).join(', ');
  throw new Error(`the secret for forges is wrong at ${fields}`);
}
