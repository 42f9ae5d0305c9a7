import { createHash } from 'node:crypto';

/**
 * Puts text from outside (tool output, agents' words) between marks that the text itself cannot contain, so that a reader, human or
 * model, can tell where it ends. The mark depends on the text; occurrences of the marker word inside are broken up.
 */
export function fence(label: string, text: string): string {
  const mark = createHash('sha256').update(text).digest('hex').slice(0, 12);
  const body = text.replaceAll('UNTRUSTED', 'UNTRUS\u200bTED');
  return `<<<UNTRUSTED ${label} ${mark}\n${body}\nUNTRUSTED ${mark}>>>`;
}
