import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignalEvidence } from '../../shared/contract/evidence/schema.ts';
import { truncateText } from '../../shared/lib/truncate.ts';
import type { ProcessCommand, ProcessResult } from '../../workspace/process/run-process.ts';
import type { PatchToCheck } from './patch-to-check.ts';

/** Milliseconds between two questions: nothing tells that somebody else's program listens now. */
const PAUSE_MS = 100;
export const SERVICE_RESPONSE_TIMEOUT_MS = 5_000;
/** Most bytes of an answer that are read. */
const MAX_BYTES = 1_048_576;

export interface ServiceResponse {
  readonly status: number;
  readonly body: string;
}

/** By number, so that no resolver is asked. */
const ADDRESSES: Readonly<Record<string, string>> = { localhost: '127.0.0.1', '[::1]': '::1' };

/** One GET; null where nobody listens, or nobody answers in time. Redirects are answers like any other. */
function get(url: URL, limitMs: number): Promise<ServiceResponse | null> {
  return new Promise((resolve) => {
    const asked = request(
      {
        host: ADDRESSES[url.hostname] ?? url.hostname,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: { host: url.host, accept: '*/*' },
        agent: false,
        signal: AbortSignal.timeout(Math.ceil(Math.max(1, Math.min(SERVICE_RESPONSE_TIMEOUT_MS, limitMs)))),
      },
      (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        const done = (): void =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).subarray(0, MAX_BYTES).toString('utf8'),
          });
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk);
          bytes += chunk.length;
          if (bytes < MAX_BYTES) return;
          done();
          asked.destroy();
        });
        response.on('end', done);
        response.on('error', () => resolve(null));
      },
    );
    asked.on('error', () => resolve(null));
    asked.end();
  });
}

/** Why a service says nothing of the work. */
export type ServiceFailure = Pick<SignalEvidence, 'outcome' | 'detail'>;

const BROKEN_ENDS: readonly ProcessResult['end'][] = ['not_started', 'uncontained'];

/** What the end of a service says that was not asked to end. */
function describeServiceEnd({ end, exitCode, startError, output }: ProcessResult): ServiceFailure {
  const tail = output.trim().slice(-500);
  return BROKEN_ENDS.includes(end)
    ? { outcome: 'infra_failed', detail: `the service could not be run: ${startError}` }
    : {
        outcome: 'failed',
        detail: `the service has ended (${end} ${exitCode ?? ''}) before it answered: ${tail}`,
      };
}

export interface ServiceOptions {
  readonly program: ProcessCommand;
  /** What it is started with besides the usual variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where it is asked whether it is up. */
  readonly url: URL;
  /** Most time for coming up, in milliseconds. */
  readonly readyMs: number;
  /** Most time in all, in milliseconds. */
  readonly limitMs: number;
  /** Returns what is wrong with an answer; null: the service is up. */
  readonly readinessProblem: (answer: ServiceResponse) => ReadinessProblem | null;
}

/** Why an answer is not the one that is waited for. */
export type ReadinessProblem =
  | { readonly code: 'status'; readonly status: number; readonly wanted: number | null }
  | {
      readonly code: 'text_missing';
      readonly status: number;
      readonly wanted: string;
      readonly body: string;
    };

function renderReadinessProblem(problem: ReadinessProblem): string {
  if (problem.code === 'text_missing')
    return `answers ${problem.status} without ${JSON.stringify(truncateText(problem.wanted, 100))}: ${truncateText(problem.body, 200)}`;
  return `answers ${problem.status}${problem.wanted === null ? '' : `, and ${problem.wanted} is wanted`}`;
}

/** Services of one patch run one after the other: two of them may want the same port. */
const serviceQueues = new WeakMap<PatchToCheck, Promise<unknown>>();

/**
 * Starts a service of the patch on this machine, waits until it answers as wanted, and does something with it while it runs. What is
 * done has to end by itself. Rejects only where rooms do, or `use` does.
 */
export function runWithService<T>(
  subject: PatchToCheck,
  service: ServiceOptions,
  use: (answer: ServiceResponse) => Promise<T>,
): Promise<T | ServiceFailure> {
  const turn = (serviceQueues.get(subject) ?? Promise.resolve()).then(() =>
    runService(subject, service, use),
  );
  serviceQueues.set(
    subject,
    turn.catch(() => {}),
  );
  return turn;
}

async function runService<T>(
  subject: PatchToCheck,
  { program, env = {}, url, readyMs, limitMs, readinessProblem }: ServiceOptions,
  use: (answer: ServiceResponse) => Promise<T>,
): Promise<T | ServiceFailure> {
  // Whoever is there before the service would answer in its place.
  if ((await get(url, SERVICE_RESPONSE_TIMEOUT_MS)) !== null)
    return {
      outcome: 'infra_failed',
      detail: `somebody answers at ${url.host} already, before the service runs`,
    };
  const room = await subject.sandboxes.createSandbox(subject.tree);
  const over = new AbortController();
  let ended: ProcessResult | null = null;
  const running = room.run(program, limitMs, env, over.signal).then((result) => {
    ended = result;
    return result;
  });
  try {
    const left = subject.sandboxes.startTimeLimit(readyMs);
    let last: ReadinessProblem | null = null;
    while (left() > 1) {
      const answer = await get(url, left());
      const problem = answer && readinessProblem(answer);
      if (answer && problem === null) return await use(answer);
      last = problem ?? last;
      if (ended !== null) return describeServiceEnd(ended);
      await sleep(PAUSE_MS);
    }
    return last === null
      ? { outcome: 'timed_out', detail: `nobody has answered at ${url.host} within ${readyMs / 1_000} s` }
      : { outcome: 'failed', detail: `${url.href} ${renderReadinessProblem(last)}` };
  } finally {
    over.abort();
    await running;
  }
}
