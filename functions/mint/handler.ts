import {
  type CredentialResponse,
  ReadCredentialRequest,
} from '../../shared/contract/messages/credential-messages.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { answerCredentialRequest } from './answer-credential-request.ts';

/** Makes what repositories are read with. It is asked by the dispatcher and the resolver alone. */
export const handler = withErrorLogging(
  async (event: unknown): Promise<CredentialResponse> =>
    answerCredentialRequest(ReadCredentialRequest.parse(event)),
);
