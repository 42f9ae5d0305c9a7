import { type MintAnswer, ReadRequest } from '../../shared/contract/messages/mint.ts';
import { heard } from '../runtime/heard.ts';
import { answer } from './answer.ts';

/** Makes what repositories are read with. It is asked by the dispatcher and the resolver alone. */
export const handler = heard(async (event: unknown): Promise<MintAnswer> => answer(ReadRequest.parse(event)));
