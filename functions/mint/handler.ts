import {
  type CredentialResponse,
  ReadCredentialRequest,
} from '../../shared/contract/messages/credential-messages.ts';
import { withFailureLog } from '../runtime/log-context.ts';
import { answerMintRequest } from './answer-mint-request.ts';

/** Makes what repositories are read with. It is asked by the dispatcher and the resolver alone. */
export const handler = withFailureLog(
  async (event: unknown): Promise<CredentialResponse> =>
    answerMintRequest(ReadCredentialRequest.parse(event)),
);
