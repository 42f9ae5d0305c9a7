import type { SignalEvidence } from '../../shared/contract/evidence/schema.ts';
import type { CompletionSignal } from '../../shared/contract/submission/signals.ts';
import { firstOf } from '../../shared/lib/cut.ts';
import { ANSWER_MS, type Answer, type Seen, withService } from '../core/service.ts';
import type { Subject } from '../core/subject.ts';

type ApiResponds = Extract<CompletionSignal, { type: 'api_responds' }>;

/** What is wrong with an answer; null: it is as it should be. */
function wrong({ status, body }: Answer, signal: ApiResponds): string | null {
  if (status !== signal.status) return `answers ${status}, and ${signal.status} is wanted`;
  return signal.contains !== undefined && !body.includes(signal.contains)
    ? `answers ${status} without ${JSON.stringify(firstOf(signal.contains, 100))}: ${firstOf(body, 200)}`
    : null;
}

/** Starts a service of the patch and asks it, on this machine. Never rejects. */
export async function askService(subject: Subject, signal: ApiResponds): Promise<SignalEvidence> {
  const started = performance.now();
  const url = new URL(signal.url);
  const readyMs = signal.timeout_s * 1_000;
  const service = {
    program: { line: signal.command },
    url,
    readyMs,
    limitMs: readyMs + ANSWER_MS,
    wrong: (answer: Answer) => wrong(answer, signal),
  };
  const answered = async ({ status }: Answer): Promise<Seen> => ({
    outcome: 'passed',
    detail: `${url.href} answers ${status}`,
  });
  const seen = await withService(subject, service, answered).catch((error: unknown) => ({
    outcome: 'infra_failed' as const,
    detail: `could not be checked: ${error instanceof Error ? error.message : String(error)}`,
  }));
  return {
    type: signal.type,
    signal,
    ...seen,
    kind: 'executed_by_us',
    duration_ms: Math.round(performance.now() - started),
  };
}
