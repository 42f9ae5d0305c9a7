import {
  type CredentialResponse,
  WriteCredentialRequest,
} from '../../shared/contract/messages/credential-messages.ts';
import { withErrorLogging } from '../runtime/log-context.ts';
import { answerCredentialRequest } from './answer-credential-request.ts';

/** Makes what is pushed with. It is asked by the function that delivers alone. */
export const handler = withErrorLogging(
  async (event: unknown): Promise<CredentialResponse> =>
    answerCredentialRequest(WriteCredentialRequest.parse(event)),
);
