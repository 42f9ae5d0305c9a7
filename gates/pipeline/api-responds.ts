import type { SignalEvidence } from '../../shared/contract/evidence/schema.ts';
import type { CompletionSignal } from '../../shared/contract/submission/signals.ts';
import { truncateText } from '../../shared/lib/truncate.ts';
import type { PatchSubject } from '../core/patch-subject.ts';
import {
  RESPONSE_TIMEOUT_MS,
  runWithService,
  type ServiceFailure,
  type ServiceResponse,
} from '../core/service.ts';

type ApiResponds = Extract<CompletionSignal, { type: 'api_responds' }>;

/** What is wrong with an answer; null: it is as it should be. */
function responseProblem({ status, body }: ServiceResponse, signal: ApiResponds): string | null {
  if (status !== signal.status) return `answers ${status}, and ${signal.status} is wanted`;
  return signal.contains !== undefined && !body.includes(signal.contains)
    ? `answers ${status} without ${JSON.stringify(truncateText(signal.contains, 100))}: ${truncateText(body, 200)}`
    : null;
}

/** Starts a service of the patch and asks it, on this machine. Never rejects. */
export async function checkApiResponds(subject: PatchSubject, signal: ApiResponds): Promise<SignalEvidence> {
  const started = performance.now();
  const url = new URL(signal.url);
  const readyMs = signal.timeout_s * 1_000;
  const service = {
    program: { line: signal.command },
    url,
    readyMs,
    limitMs: readyMs + RESPONSE_TIMEOUT_MS,
    readinessProblem: (answer: ServiceResponse) => responseProblem(answer, signal),
  };
  const answered = async ({ status }: ServiceResponse): Promise<ServiceFailure> => ({
    outcome: 'passed',
    detail: `${url.href} answers ${status}`,
  });
  const seen = await runWithService(subject, service, answered).catch((error: unknown) => ({
    outcome: 'infra_failed' as const,
    detail: `could not be checked: ${error instanceof Error ? error.message : String(error)}`,
  }));
  return {
    type: signal.type,
    signal,
    ...seen,
    kind: 'executed',
    duration_ms: Math.round(performance.now() - started),
  };
}
