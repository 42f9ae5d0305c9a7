import { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import type {
  CredentialRequest,
  ReadCredentialRequest,
} from '../../shared/contract/messages/credential-messages.ts';
import { CredentialScope } from '../../shared/contract/repository/schema.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import {
  type CredentialProvider,
  createMintingProvider,
  NO_CREDENTIALS,
} from '../../shared/store/credential-provider.ts';
import { optionalEnv, requireEnv } from '../../shared/store/env.ts';

/** URL prefixes that the secret for repositories covers; empty: there is none. */
export const readRepositoryReadScopes = (): string[] =>
  z.array(CredentialScope).parse(JSON.parse(optionalEnv(FUNCTION_ENV_NAMES.readScopes, '[]')));

/** Where this function gets credentials for repositories from. */
export function createCredentialProvider<
  Request extends CredentialRequest = ReadCredentialRequest,
>(): CredentialProvider<Request> {
  const scopes = readRepositoryReadScopes();
  return scopes.length === 0
    ? NO_CREDENTIALS
    : createMintingProvider(new LambdaClient({}), requireEnv(FUNCTION_ENV_NAMES.minterFunction), scopes);
}
