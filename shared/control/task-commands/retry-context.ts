import type { Attempt } from '../../contract/task/attempt.ts';
import { TRUNCATION_MARK, truncateToBytes } from '../../lib/truncate.ts';

/** Most bytes of it: enough for the first errors, few enough not to drown the task. */
export const MAX_RETRY_CONTEXT_BYTES = 6_000;
/** Most bytes of what was tried, of that. */
const TRIED_BYTES = 1_500;
/** Bytes of one reason. */
const REASON_BYTES = 700;

/** An attempt as far as the next one is told of it: without what only the platform may know. */
export type PriorAttempt = Omit<Attempt, 'agent' | 'gates' | 'deliver'>;

const section = (title: string, lines: readonly string[]): string =>
  lines.length === 0 ? '' : `${title}:\n${lines.map((line) => `- ${line}`).join('\n')}\n`;

/** One earlier attempt on one line: who tried, and how it failed. */
function describeAttempt({
  number,
  tier,
  model,
  effort,
  adapter,
  failure,
  decision,
  outcome,
}: PriorAttempt): string {
  const who = [adapter, tier ?? model, `effort ${effort}`].filter(Boolean).join(', ');
  const how = failure?.normalized_message ?? failure?.code ?? outcome ?? 'unknown';
  const then = decision?.strategy ? `; then ${decision.strategy.replace('_', ' ')}` : '';
  return `attempt ${number} (${who}): ${how}${then}`;
}

/** Why a program or a box failed, in its own words; an agent's own are none. */
function failureLines({ report, verification_failure, failure }: PriorAttempt): string[] {
  const words = report?.exit?.failure_text_source
    ? [report[report.exit.failure_text_source].slice(-REASON_BYTES)]
    : [];
  const class_ = failure?.class ? [`${failure.class}, by ${failure.matched_rule}`] : [];
  return [...class_, ...(verification_failure ? [verification_failure.message] : []), ...words];
}

/**
 * What the next attempt is told of those before: what failed, which tests and findings by name, what was tried. From what was observed
 * and decided, never from what an agent says; at most `CONTEXT_BYTES` bytes, and the end is cut first.
 */
export function buildRetryContext(attempts: readonly PriorAttempt[]): string {
  const last = attempts.at(-1);
  if (!last) return '';
  const { verification, verdict, decision } = last;
  const named = (verification?.failed_checks ?? []).map(({ check, message: what }) => `${check}: ${what}`);
  const more = verification?.failed_checks_omitted ? [`and ${verification.failed_checks_omitted} more`] : [];
  const reasons = (verdict?.reasons ?? []).map(({ code, subject, message }) =>
    truncateToBytes(`${code}${subject ? ` (${subject})` : ''}: ${message}`, REASON_BYTES),
  );
  const text = [
    `decision: ${decision?.reason ?? last.outcome ?? 'unknown'}\n`,
    section('what failed, by name', [...named, ...more]),
    section('why it was not accepted', reasons),
    section(
      'why it ended',
      failureLines(last).map((each) => truncateToBytes(each, REASON_BYTES)),
    ),
  ].join('');
  const tried = truncateToBytes(section('what was tried', attempts.map(describeAttempt)), TRIED_BYTES);
  return `${truncateToBytes(text, MAX_RETRY_CONTEXT_BYTES - Buffer.byteLength(tried) - TRUNCATION_MARK.length)}\n${tried}`.trim();
}
