import type { FailureMode, FailureRecord } from '../../contract/failure/failure-record.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import { sha256 } from '../../lib/sha256.ts';
import { truncateText } from '../../lib/truncate.ts';
import { classifyAttemptFailure, extractFailureText } from './attempt-failure.ts';
import { CLASSIFIER_VERSION, classifyFailure } from './classify-failure.ts';

/** Characters at the end of a program's words that tell one failure from another. */
const TEXT_TAIL_CHARS = 500;
/** Characters of it that are shown. */
const SUMMARY_CHARS = 200;
const LENGTH = 12;

/** What differs between two runs that fail in the same way, and what stands for it; in this order. */
const VARYING_PARTS: readonly (readonly [RegExp, string])[] = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of terminals
  [/\u001b\[[0-9;?]*[a-z]/g, ''],
  [/(?:[a-z]:)?(?:[\w.@+~-]{0,255}[\\/]){1,64}[\w.@+~-]{1,255}(?::\d+){0,2}/g, '<path>'],
  [/\b\d{4}-\d\d-\d\d(?:[t ]\d\d:\d\d(?::\d\d(?:[.,]\d{1,9})?)?(?:z|[+-]\d\d:?\d\d)?)?(?![\w-])/g, '<time>'],
  [/\b\d{1,2}:\d\d(?::\d\d(?:[.,]\d{1,9})?)?\b/g, '<time>'],
  [
    /\b\d{1,12}(?:[.,]\d{1,9})? ?(?:ns|us|µs|ms|s|secs?|seconds?|m|mins?|minutes?|h|hours?)(?![\w/-])/g,
    '<time>',
  ],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, '<address>'],
  [/\b0x[0-9a-f]{1,32}\b/g, '<address>'],
  [/\b(?=[a-f]{0,64}[0-9])[0-9a-f]{7,64}\b(?![./-])/g, '<address>'],
  [/(?<![\w<])[-+]?\d+(?:[.,]\d+)*(?![\w>])/g, '<n>'],
  [/\s+/g, ' '],
];

/** A text without what differs between two runs that fail in the same way: paths, numbers, times, addresses, colours, spaces. */
export function normaliseFailureText(text: string): string {
  return VARYING_PARTS.reduce(
    (rest, [what, stands]) => rest.replaceAll(what, stands),
    text.toLowerCase(),
  ).trim();
}

/** What failed in work that was judged: by name where checks name it, else by the reasons of the verdict. */
function failedChecks({ verification, verdict }: Attempt): string[] {
  const failing = verification?.failed_checks ?? [];
  if (failing.length > 0) return failing.map(({ check, message: what }) => `${check}: ${what}`);
  return (verdict?.reasons ?? []).map(({ code, message }) => `${code}: ${message}`);
}

const sorted = (of: readonly string[]): string[] => [...new Set(of.map(normaliseFailureText))].sort();

/** What it is that failed, without what differs from run to run: each once, in a fixed order. */
function signatureLines(attempt: Attempt, how: FailureRecord): string[] {
  if (how.class === null) return sorted(failedChecks(attempt));
  // Cut when what varies is out: else a longer number would have it begin with another word.
  const words = normaliseFailureText(extractFailureText(attempt)).slice(-TEXT_TAIL_CHARS).trim();
  // Of two failures of which nothing is known, nobody can say that they are the same.
  return how.class === 'unknown' && words === '' ? [] : sorted([`${how.code}: ${words}`]);
}

/** What two attempts have in common that failed in the same way, in short and to read; nothing where nothing is known. */
function failureSignature(
  attempt: Attempt,
  how: FailureRecord,
): { readonly signature?: string; readonly normalized_message?: string } {
  const lines = signatureLines(attempt, how);
  if (lines.length === 0) return {};
  const told = JSON.stringify([how.class, how.code, ...lines]);
  return {
    signature: sha256(told).slice(0, LENGTH),
    normalized_message: truncateText(lines.join('; '), SUMMARY_CHARS),
  };
}

/** Characters of a rule that are kept: it quotes what it matched on. */
const KEPT_RULE = 200;

/** Of work that was judged and failed: with nothing in it, or not good enough. */
const failureModeOfWork = ({ artifact }: Pick<Attempt, 'artifact'>): FailureMode =>
  artifact?.patch_bytes === 0 ? 'hollow' : 'quality';

/** What is written down of an attempt that failed. */
export function buildFailureClassification(attempt: Attempt): FailureRecord {
  const how = baseClassification(attempt);
  return { ...how, ...failureSignature(attempt, how) };
}

function baseClassification(attempt: Attempt): FailureRecord {
  const failure =
    classifyAttemptFailure(attempt) ??
    (attempt.outcome === 'expired'
      ? classifyFailure({ code: 'lease_expired' })
      : attempt.outcome === 'infra_failed'
        ? classifyFailure({ code: 'container_lost' })
        : null);
  if (failure === null)
    return {
      class: null,
      code: 'verification_failed',
      matched_rule: `verdict ${attempt.verdict?.verdict ?? 'missing'}`,
      retryable: null,
      mode: failureModeOfWork(attempt),
      rules_version: CLASSIFIER_VERSION,
    };
  const { class: of, code, matched_rule: rule, retryable, mode, version } = failure;
  return {
    class: of,
    code,
    matched_rule: truncateText(rule, KEPT_RULE),
    retryable,
    mode,
    rules_version: version,
  };
}
