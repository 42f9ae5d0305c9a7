import type { FailureRecord } from '../../contract/failure/failure-record.ts';
import { normaliseFailureText } from '../../contract/failure/normalise-failure-text.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { sha256 } from '../../lib/sha256.ts';
import { truncateText } from '../../lib/truncate.ts';
import { failureText } from './attempt-failure.ts';

/** Characters at the end of a program's words that tell one failure from another. */
const TEXT_TAIL_CHARS = 500;
/** Characters of it that are shown. */
const SUMMARY_CHARS = 200;
const LENGTH = 12;

/** What failed in work that was judged: by name where checks name it, else by the reasons of the verdict. */
function failedChecks({ verification, verdict }: Attempt): string[] {
  const failing = verification?.failing ?? [];
  if (failing.length > 0) return failing.map(({ check, what }) => `${check}: ${what}`);
  return (verdict?.reasons ?? []).map(({ code, message }) => `${code}: ${message}`);
}

const sorted = (of: readonly string[]): string[] => [...new Set(of.map(normaliseFailureText))].sort();

/** What it is that failed, without what differs from run to run: each once, in a fixed order. */
function signatureLines(attempt: Attempt, how: FailureRecord): string[] {
  if (how.class === null) return sorted(failedChecks(attempt));
  // Cut when what varies is out: else a longer number would have it begin with another word.
  const words = normaliseFailureText(failureText(attempt)).slice(-TEXT_TAIL_CHARS).trim();
  // Of two failures of which nothing is known, nobody can say that they are the same.
  return how.class === 'unknown' && words === '' ? [] : sorted([`${how.code}: ${words}`]);
}

/** What two attempts have in common that failed in the same way, in short and to read; nothing where nothing is known. */
export function failureSignature(
  attempt: Attempt,
  how: FailureRecord,
): { readonly fingerprint?: string; readonly about?: string } {
  const lines = signatureLines(attempt, how);
  if (lines.length === 0) return {};
  const told = JSON.stringify([how.class, how.code, ...lines]);
  return {
    fingerprint: sha256(told).slice(0, LENGTH),
    about: truncateText(lines.join('; '), SUMMARY_CHARS),
  };
}
