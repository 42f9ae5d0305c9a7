import { type MintAnswer, WriteRequest } from '../../shared/contract/messages/mint.ts';
import { heard } from '../runtime/heard.ts';
import { answer } from './answer.ts';

/** Makes what is pushed with. It is asked by the function that delivers alone. */
export const handler = heard(
  async (event: unknown): Promise<MintAnswer> => answer(WriteRequest.parse(event)),
);
