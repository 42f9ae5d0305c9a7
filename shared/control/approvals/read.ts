import * as z from 'zod';
import { Ask } from '../../contract/approval/schema.ts';

/** What an agent asks leave for, or what is wrong with how it asks. */
export function readAsked(content: unknown): { readonly ask: Ask } | { readonly wrong: string } {
  const read = Ask.safeParse(content);
  return read.success ? { ask: read.data } : { wrong: z.prettifyError(read.error) };
}
