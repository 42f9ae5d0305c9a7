import * as z from 'zod';
import { CredentialUrlPrefix } from '../../shared/contract/repository/schema.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { readOptionalEnv } from '../../shared/store/env.ts';
import { readForgeSettings } from './config.ts';

/** What the deployment has credentials to push to; empty: none, and pushes are made without. */
export const readPushCredentialScopes = (): string[] =>
  z.array(CredentialUrlPrefix).parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.pushScopes, '[]')));

/** URL prefixes of the repositories that pull requests are opened for. */
export const readPullRequestRepositoryPrefixes = (): string[] => readForgeSettings().map(({ url }) => url);
