import { RE2JS } from 're2js';
import { type FieldError, jsonPointer } from '../refusal.ts';
import type { CompletionSignal } from './signals.ts';

/** Largest compiled regular expression, in instructions: `.{1000}` has 1,002. */
export const MAX_REGEX_PROGRAM_SIZE = 2_000;
/** Most instructions of all regular expressions of one request together: what they cost to compile is bounded by it. */
export const MAX_TOTAL_REGEX_PROGRAM_SIZE = 10_000;
/** Most characters of them: classes of Unicode are costly to read although they compile to one instruction. */
export const MAX_TOTAL_REGEX_LENGTH = 30_000;

const compileRegex = (pattern: string): { size: number } | { problem: string } => {
  try {
    return { size: RE2JS.compile(pattern).programSize() };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { problem: `is not a valid RE2 regular expression: ${why}` };
  }
};
const describeTooLarge = (size: number): string =>
  `is ${size} steps when compiled; ${MAX_REGEX_PROGRAM_SIZE} are the most: repeat less`;

/** Says why a regular expression is refused (RE2 syntax: no backtracking, so no back-references or look-around), or null. */
export function invalidRegexReason(pattern: string): string | null {
  const result = compileRegex(pattern);
  if ('problem' in result) return result.problem;
  return result.size > MAX_REGEX_PROGRAM_SIZE ? describeTooLarge(result.size) : null;
}

/**
 * The refused regular expressions among the signals of the tasks of one request; `at` is the JSON Pointer of each task in the body.
 * The first that is refused for its size is the last that is compiled, so that no list of them can cost more than a few.
 */
export function findRegexErrors(
  tasks: readonly { readonly at: string; readonly signals: readonly CompletionSignal[] }[],
): FieldError[] {
  const errors: FieldError[] = [];
  let all = 0;
  let length = 0;
  for (const { at, signals } of tasks)
    for (const [index, signal] of signals.entries()) {
      if (signal.type !== 'file_contains' || signal.regex === undefined) continue;
      const refuse = (message: string): number =>
        errors.push({ pointer: `${at}${jsonPointer(['completion_signals', index, 'regex'])}`, message });
      length += signal.regex.length;
      if (length > MAX_TOTAL_REGEX_LENGTH) {
        refuse(
          `brings all regular expressions of the request to more than ${MAX_TOTAL_REGEX_LENGTH} characters`,
        );
        return errors;
      }
      const result = compileRegex(signal.regex);
      if ('problem' in result) {
        refuse(result.problem);
        continue;
      }
      all += result.size;
      if (result.size <= MAX_REGEX_PROGRAM_SIZE && all <= MAX_TOTAL_REGEX_PROGRAM_SIZE) continue;
      refuse(
        result.size > MAX_REGEX_PROGRAM_SIZE
          ? describeTooLarge(result.size)
          : `brings all regular expressions of the request to more than ${MAX_TOTAL_REGEX_PROGRAM_SIZE} steps when compiled`,
      );
      return errors;
    }
  return errors;
}
