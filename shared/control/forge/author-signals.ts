import * as z from 'zod';
import { findRegexErrors } from '../../contract/submission/regex.ts';
import { AuthorSignal, CompletionSignal, MAX_AUTHOR_SIGNALS } from '../../contract/submission/signals.ts';
import { describeFileProblem, parseYaml } from '../../lib/yaml.ts';

/** The first line of a fenced block of Markdown with the info string `assay`. */
const OPENING = /^(`{3,20}|~{3,20})[ \t]*assay$/;
const MAX_BLOCK = 20_000;

const AuthorBlock = z.strictObject({
  signals: z
    .array(
      CompletionSignal.transform((signal, context) => {
        const { data, success } = AuthorSignal.safeParse(signal);
        if (success) return data;
        context.addIssue({ code: 'custom', message: 'a pull request cannot ask a model' });
        return z.NEVER;
      }),
    )
    .min(1)
    .max(MAX_AUTHOR_SIGNALS),
});

/** The signals of a text, or why its block was not read. */
export type AuthorSignalsResult = { readonly signals: AuthorSignal[] } | { readonly problem: string };

/** Returns the text of the first such block, or null. Takes time in proportion to the length, because anybody may write it. */
function findBlock(body: string): string | null {
  const lines = body.split('\n').map((line) => line.trimEnd());
  const from = lines.findIndex((line) => OPENING.test(line));
  const [, fence] = OPENING.exec(lines[from] ?? '') ?? [];
  const to = lines.findIndex((line, index) => index > from && line === fence);
  return fence === undefined || to < 0 ? null : lines.slice(from + 1, to).join('\n');
}

/**
 * Reads the signals that the author of a pull request names in its text. They are what an untrusted person asks for: only those count that
 * `assay.yaml` of the base allows, a failing one fails the work, and a passing one verifies nothing. Null: the text has no block.
 */
export function parseAuthorSignals(body: string): AuthorSignalsResult | null {
  const text = findBlock(body);
  if (text === null) return null;
  if (text.length > MAX_BLOCK) return { problem: `it has over ${MAX_BLOCK} characters` };
  const parsed = parseYaml(text, 'assay block', AuthorBlock);
  if ('problems' in parsed) return { problem: parsed.problems.map(describeFileProblem).join('; ') };
  const [error] = findRegexErrors([{ at: '', signals: parsed.value.signals }]);
  return error ? { problem: `${error.pointer} ${error.message}` } : { signals: parsed.value.signals };
}
