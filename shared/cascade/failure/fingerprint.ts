import type { Attempt } from '../../task/attempt.ts';
import { firstOf } from '../../task/cut.ts';
import type { FailedHow } from '../../task/failed-how.ts';
import { sha256 } from '../../tokens.ts';
import { normalise } from './normalise.ts';
import { wordsOf } from './of-attempt.ts';

/** Characters at the end of a program's words that tell one failure from another. */
const LOOKED_AT = 500;
/** Characters of it that are shown. */
const SHOWN = 200;
const LENGTH = 12;

/** What failed in work that was judged: by name where checks name it, else by the reasons of the verdict. */
function failedChecks({ verification, verdict }: Attempt): string[] {
  const failing = verification?.failing ?? [];
  if (failing.length > 0) return failing.map(({ check, what }) => `${check}: ${what}`);
  return (verdict?.reasons ?? []).map(({ code, message }) => `${code}: ${message}`);
}

/** What it is that failed, without what differs from run to run: each once, in a fixed order. */
function essence(attempt: Attempt, how: FailedHow): string[] {
  const of =
    how.class === null ? failedChecks(attempt) : [`${how.code}: ${wordsOf(attempt).slice(-LOOKED_AT)}`];
  return [...new Set(of.map(normalise))].sort();
}

/** What two attempts have in common that failed in the same way, in short and to read. */
export function fingerprintOf(attempt: Attempt, how: FailedHow): { fingerprint: string; about: string } {
  const lines = essence(attempt, how);
  const told = JSON.stringify([how.class, how.code, ...lines]);
  return {
    fingerprint: sha256(told).slice(0, LENGTH),
    about: firstOf(lines.join('; '), SHOWN),
  };
}
