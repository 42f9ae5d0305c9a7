import * as z from 'zod';
import { CredentialScope } from '../../shared/contract/repository/schema.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { optionalEnv } from '../../shared/store/env.ts';
import { readForgeSettings } from './config.ts';

/** What the deployment has credentials to push to; empty: none, and pushes are made without. */
export const readPushScopes = (): string[] =>
  z.array(CredentialScope).parse(JSON.parse(optionalEnv(FUNCTION_ENV_NAMES.pushScopes, '[]')));

/** URL prefixes of the repositories that pull requests are opened for. */
export const readPullRequestScopes = (): string[] => readForgeSettings().map(({ url }) => url);
