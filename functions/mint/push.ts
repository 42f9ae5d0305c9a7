import { type CredentialResponse, WriteCredentialRequest } from '../../shared/contract/messages/mint.ts';
import { withFailureLog } from '../runtime/heard.ts';
import { answerMintRequest } from './answer.ts';

/** Makes what is pushed with. It is asked by the function that delivers alone. */
export const handler = withFailureLog(
  async (event: unknown): Promise<CredentialResponse> => answerMintRequest(WriteCredentialRequest.parse(event)),
);
