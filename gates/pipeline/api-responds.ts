import type { SignalEvidence } from '../../shared/contract/evidence/schema.ts';
import type { CompletionSignal } from '../../shared/contract/submission/signals.ts';
import type { PatchToCheck } from '../core/patch-to-check.ts';
import {
  type ReadinessProblem,
  runWithService,
  SERVICE_RESPONSE_TIMEOUT_MS,
  type ServiceFailure,
  type ServiceResponse,
} from '../core/service.ts';

type ApiResponds = Extract<CompletionSignal, { type: 'api_responds' }>;

/** Returns what is wrong with an answer; null: it is as it should be. */
function findResponseProblem(
  { status, body }: ServiceResponse,
  signal: ApiResponds,
): ReadinessProblem | null {
  const { contains } = signal;
  if (status !== signal.status) return { code: 'status', status, wanted: signal.status };
  return contains !== undefined && !body.includes(contains)
    ? { code: 'text_missing', status, wanted: contains, body }
    : null;
}

/** Starts a service of the patch and asks it, on this machine. Never rejects. */
export async function checkApiResponds(subject: PatchToCheck, signal: ApiResponds): Promise<SignalEvidence> {
  const started = performance.now();
  const url = new URL(signal.url);
  const readyMs = signal.timeout_s * 1_000;
  const service = {
    program: { line: signal.command },
    url,
    readyMs,
    limitMs: readyMs + SERVICE_RESPONSE_TIMEOUT_MS,
    readinessProblem: (answer: ServiceResponse) => findResponseProblem(answer, signal),
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
