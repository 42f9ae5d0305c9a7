import { RE2JS } from 're2js';
import { type FieldError, pointer } from '../refusal.ts';
import type { CompletionSignal } from './signals.ts';

/** Says why a regular expression is refused (RE2 syntax: no backtracking, so no back-references or look-around), or null. */
export function badRegex(pattern: string): string | null {
  try {
    RE2JS.compile(pattern);
    return null;
  } catch (error) {
    return `is not a valid RE2 regular expression: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** The refused regular expressions among a task's signals; `prefix` is the path of the task in the body. */
export const regexErrors = (
  signals: readonly CompletionSignal[],
  prefix: readonly PropertyKey[] = [],
): FieldError[] =>
  signals.flatMap((signal, index) => {
    const problem =
      signal.type === 'file_contains' && signal.regex !== undefined ? badRegex(signal.regex) : null;
    return problem === null
      ? []
      : [{ pointer: pointer([...prefix, 'completion_signals', index, 'regex']), message: problem }];
  });
