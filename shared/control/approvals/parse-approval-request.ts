import * as z from 'zod';
import { ApprovalRequest } from '../../contract/approval/schema.ts';

/** What an agent asks leave for, or what is wrong with how it asks. */
export function parseApprovalRequest(
  content: unknown,
): { readonly ask: ApprovalRequest } | { readonly wrong: string } {
  const read = ApprovalRequest.safeParse(content);
  return read.success ? { ask: read.data } : { wrong: z.prettifyError(read.error) };
}
