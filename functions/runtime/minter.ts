import { LambdaClient } from '@aws-sdk/client-lambda';
import * as z from 'zod';
import type { MintRequest, ReadRequest } from '../../shared/contract/messages/mint.ts';
import { ENV } from '../../shared/contract/names.ts';
import { PushScope } from '../../shared/contract/repository/schema.ts';
import { optionalEnv, requireEnv } from '../../shared/store/env.ts';
import { type Authorize, minter, UNAUTHORIZED } from '../../shared/store/minter.ts';

/** URL prefixes that the secret for repositories covers; empty: there is none. */
export const readFrom = (): string[] => z.array(PushScope).parse(JSON.parse(optionalEnv(ENV.readFrom, '[]')));

/** Where this function gets credentials for repositories from. */
export function authorizer<Request extends MintRequest = ReadRequest>(): Authorize<Request> {
  const scopes = readFrom();
  return scopes.length === 0 ? UNAUTHORIZED : minter(new LambdaClient({}), requireEnv(ENV.minter), scopes);
}
