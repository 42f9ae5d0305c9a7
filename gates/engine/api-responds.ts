import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { SignalEvidence } from '../../shared/evidence/schema.ts';
import { firstOf } from '../../shared/task/cut.ts';
import type { CompletionSignal } from '../../shared/task/signals.ts';
import type { RunResult } from '../process/run.ts';
import type { Subject } from './subject.ts';

type ApiResponds = Extract<CompletionSignal, { type: 'api_responds' }>;

/** Milliseconds between two questions: nothing tells that somebody else's program listens now. */
const PAUSE_MS = 100;
const ANSWER_MS = 5_000;
/** Most bytes of an answer that are read. */
const MAX_BYTES = 1_048_576;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** By number, so that no resolver is asked. */
const ADDRESSES: Readonly<Record<string, string>> = { localhost: '127.0.0.1', '[::1]': '::1' };

/** One GET; null where nobody listens, or nobody answers in time. Redirects are answers like any other. */
function get(url: URL, limitMs: number): Promise<Answer | null> {
  return new Promise((resolve) => {
    const asked = request(
      {
        host: ADDRESSES[url.hostname] ?? url.hostname,
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: { host: url.host, accept: '*/*' },
        agent: false,
        signal: AbortSignal.timeout(Math.ceil(Math.max(1, Math.min(ANSWER_MS, limitMs)))),
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

/** What is wrong with an answer; null: it is as it should be. */
function wrong({ status, body }: Answer, signal: ApiResponds): string | null {
  if (status !== signal.status) return `answers ${status}, and ${signal.status} is wanted`;
  return signal.contains !== undefined && !body.includes(signal.contains)
    ? `answers ${status} without ${JSON.stringify(firstOf(signal.contains, 100))}: ${firstOf(body, 200)}`
    : null;
}

type Seen = Pick<SignalEvidence, 'outcome' | 'detail'>;

const BROKEN_ENDS: readonly RunResult['end'][] = ['not_started', 'uncontained'];

/** What the end of a service says that was not asked to end. */
function endedBy({ end, exitCode, startError, output }: RunResult): Seen {
  const tail = output.trim().slice(-500);
  return BROKEN_ENDS.includes(end)
    ? { outcome: 'infra_failed', detail: `the service could not be run: ${startError}` }
    : {
        outcome: 'failed',
        detail: `the service has ended (${end} ${exitCode ?? ''}) before it answered: ${tail}`,
      };
}

async function ask(subject: Subject, signal: ApiResponds): Promise<Seen> {
  const url = new URL(signal.url);
  // Whoever is there before the service would answer in its place.
  if ((await get(url, ANSWER_MS)) !== null)
    return {
      outcome: 'infra_failed',
      detail: `somebody answers at ${url.host} already, before the service runs`,
    };
  const room = await subject.rooms.enter(subject.tree);
  const answered = new AbortController();
  const limitMs = signal.timeout_s * 1_000;
  let ended: RunResult | null = null;
  const running = room
    .run({ line: signal.command }, limitMs + ANSWER_MS, {}, answered.signal)
    .then((result) => {
      ended = result;
      return result;
    });
  try {
    const left = subject.rooms.within(limitMs);
    let last: string | null = null;
    while (left() > 1) {
      const answer = await get(url, left());
      last = (answer && wrong(answer, signal)) ?? last;
      if (answer && wrong(answer, signal) === null)
        return { outcome: 'passed', detail: `${url.href} answers ${answer.status}` };
      if (ended !== null) return endedBy(ended);
      await sleep(PAUSE_MS);
    }
    return last === null
      ? { outcome: 'timed_out', detail: `nobody has answered at ${url.host} within ${signal.timeout_s} s` }
      : { outcome: 'failed', detail: `${url.href} ${last}` };
  } finally {
    answered.abort();
    await running;
  }
}

/** Services of one patch run one after the other: two of them may want the same port. */
const waiting = new WeakMap<Subject, Promise<unknown>>();

/** Starts a service of the patch and asks it, on this machine. Never rejects. */
export async function askService(subject: Subject, signal: ApiResponds): Promise<SignalEvidence> {
  const started = performance.now();
  const turn = (waiting.get(subject) ?? Promise.resolve()).then(() => ask(subject, signal));
  waiting.set(
    subject,
    turn.catch(() => {}),
  );
  const seen = await turn.catch((error: unknown) => ({
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
