import { type CredentialResponse, ReadCredentialRequest } from '../../shared/contract/messages/mint.ts';
import { withFailureLog } from '../runtime/heard.ts';
import { answerMintRequest } from './answer.ts';

/** Makes what repositories are read with. It is asked by the dispatcher and the resolver alone. */
export const handler = withFailureLog(async (event: unknown): Promise<CredentialResponse> => answerMintRequest(ReadCredentialRequest.parse(event)));
