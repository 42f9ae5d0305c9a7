import { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import type {
  CredentialRequest,
  ReadCredentialRequest,
} from '../../shared/contract/messages/credential-messages.ts';
import { CredentialUrlPrefix } from '../../shared/contract/repository/schema.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import {
  createMintingProvider,
  type GitCredentialProvider,
  provideNoCredentials,
} from '../../shared/store/credential-provider.ts';
import { readOptionalEnv, readRequiredEnv } from '../../shared/store/env.ts';

/** URL prefixes that the secret for repositories covers; empty: there is none. */
export const readReadCredentialScopes = (): string[] =>
  z.array(CredentialUrlPrefix).parse(JSON.parse(readOptionalEnv(FUNCTION_ENV_NAMES.readScopes, '[]')));

/** Where this function gets credentials for repositories from. */
export function createRepositoryCredentialProvider<
  Request extends CredentialRequest = ReadCredentialRequest,
>(): GitCredentialProvider<Request> {
  const scopes = readReadCredentialScopes();
  return scopes.length === 0
    ? provideNoCredentials
    : createMintingProvider(new LambdaClient({}), readRequiredEnv(FUNCTION_ENV_NAMES.minterFunction), scopes);
}
