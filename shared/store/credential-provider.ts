import { InvokeCommand, type LambdaClient } from '@aws-sdk/client-lambda';
import {
  type CredentialRequest,
  CredentialResponse,
  type ReadCredentialRequest,
} from '../contract/messages/credential-messages.ts';
import { findMostSpecificScope } from '../contract/repository/repository-url.ts';

/** The minter has nothing for a repository that it should have something for. */
export class CredentialUnavailableError extends Error {
  /** True where it may work in a moment. */
  readonly isTransient: boolean;

  constructor(message: string, transient: boolean) {
    super(message);
    this.name = 'CredentialUnavailableError';
    this.isTransient = transient;
  }
}

/** The minter itself has failed: that is a fault of the deployment, and says nothing of a repository. */
export class MinterFailedError extends CredentialUnavailableError {
  constructor() {
    // What it says then may hold anything.
    super('the minter has failed; its log says why', true);
    this.name = 'MinterFailedError';
  }
}

/**
 * The Authorization header for a repository in the name of a task; null: the deployment has none, and none is sent.
 * @throws CredentialUnavailableError
 */
export type GitCredentialProvider<Request extends CredentialRequest = ReadCredentialRequest> = (
  request: Request,
) => Promise<string | null>;

/** Nobody has a credential. */
export const provideNoCredentials = async (): Promise<null> => null;

/** Asks a minter, for repositories that its secret is said to cover; for others nobody is asked. */
export const createMintingProvider =
  <Request extends CredentialRequest>(
    lambda: LambdaClient,
    functionName: string,
    readScopes: readonly string[],
  ): GitCredentialProvider<Request> =>
  async (request) => {
    const scopes = readScopes.map((url) => ({ url }));
    if (!findMostSpecificScope(scopes, request.repository)) return null;
    const { Payload, FunctionError } = await lambda.send(
      new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(request) }),
    );
    if (FunctionError || !Payload) throw new MinterFailedError();
    const answer = CredentialResponse.parse(JSON.parse(Buffer.from(Payload).toString('utf8')));
    if (answer.outcome === 'refused') throw new CredentialUnavailableError(answer.message, answer.transient);
    return answer.outcome === 'minted' ? answer.authorization : null;
  };
