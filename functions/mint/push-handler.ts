import {
  type CredentialResponse,
  WriteCredentialRequest,
} from '../../shared/contract/messages/credential-messages.ts';
import { withFailureLog } from '../runtime/log-context.ts';
import { answerMintRequest } from './answer-mint-request.ts';

/** Makes what is pushed with. It is asked by the function that delivers alone. */
export const handler = withFailureLog(
  async (event: unknown): Promise<CredentialResponse> =>
    answerMintRequest(WriteCredentialRequest.parse(event)),
);
