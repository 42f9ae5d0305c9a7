import { findLongestScope, parseRepositoryUrl } from '../../shared/contract/repository/repository-url.ts';
import { PushCredentials } from '../../shared/contract/repository/schema.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';

/**
 * The Authorization header to push to this repository with; null when the deployment has no credentials at all.
 * @throws CheckoutError `config_invalid` when the secret cannot be read, or is for other repositories. Nothing of it is told.
 */
export function pushCredentialFor(secret: string | null, repository: string): string | null {
  const address = parseRepositoryUrl(repository);
  if ('error' in address || address.href !== repository)
    throw new CheckoutError('config_invalid', 'the URL of the repository is not in its plain form');
  if (secret === null) return null;
  const entry = findLongestScope(parse(secret).credentials, repository);
  if (!entry)
    throw new CheckoutError('config_invalid', `the deployment has no credential to push to ${repository}`);
  return 'authorization' in entry
    ? entry.authorization
    : `Basic ${Buffer.from(`x-access-token:${entry.token}`).toString('base64')}`;
}

function parse(secret: string): PushCredentials {
  let value: unknown;
  try {
    value = JSON.parse(secret);
  } catch {
    throw new CheckoutError('config_invalid', 'the push credential of the deployment is not JSON');
  }
  const result = PushCredentials.safeParse(value);
  if (result.success) return result.data;
  const fields = result.error.issues.map((issue) => `/${issue.path.join('/')}`).join(', ');
  throw new CheckoutError('config_invalid', `the push credential of the deployment is wrong at ${fields}`);
}
