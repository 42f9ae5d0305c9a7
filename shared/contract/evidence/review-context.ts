import * as z from 'zod';

/** Most characters of all parts together: what reviewers are shown of the patched tree. */
export const MAX_REVIEW_CONTEXT_CHARS = 48_000;
/** Most names of parts that are left out. */
const MAX_OMITTED = 100;

/** A part of the patched tree for reviewers: a change with its whole functions, or code that refers to what is changed. */
export const ReviewContextPart = z.object({
  kind: z.enum(['change', 'test', 'caller']),
  path: z.string(),
  text: z.string(),
});
export type ReviewContextPart = z.infer<typeof ReviewContextPart>;

/** What reviewers see of the patched tree, most relevant first, and what had no room. */
export const ReviewContext = z.object({
  parts: z.array(ReviewContextPart),
  omitted: z.array(z.string()).max(MAX_OMITTED),
});
export type ReviewContext = z.infer<typeof ReviewContext>;

/** Selects parts by relevance until `limit` characters are used; the others are named with their size. */
export function selectReviewContext(
  parts: readonly ReviewContextPart[],
  limit = MAX_REVIEW_CONTEXT_CHARS,
): ReviewContext {
  let room = limit;
  const kept: ReviewContextPart[] = [];
  const omitted: string[] = [];
  const describe = (kind: string, path: string, chars: number): string =>
    `${kind} ${path}: ${chars} characters`;
  for (const part of parts) {
    const { kind, path, text } = part;
    if (text.length <= room) kept.push(part);
    // A change is shown in part rather than not at all.
    else if (kind === 'change' && room > 1_000) {
      const rest = text.length - room;
      kept.push({ ...part, text: `${text.slice(0, room)}\n[${rest} characters of this file are not shown]` });
      omitted.push(describe('rest of the change of', path, rest));
    } else omitted.push(describe(kind, path, text.length));
    room = Math.max(0, room - text.length);
  }
  const named = omitted.slice(0, MAX_OMITTED - 1);
  return {
    parts: kept,
    omitted: omitted.length > MAX_OMITTED ? [...named, `${omitted.length - named.length} more`] : omitted,
  };
}
