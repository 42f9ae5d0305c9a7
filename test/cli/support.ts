import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type * as z from 'zod';
import type { CommandIo } from '../../cli/io.ts';
import { runCli } from '../../cli/run-cli.ts';
import type {
  AttemptList,
  AttemptView,
  DeploymentStatusView,
  TaskView,
} from '../../shared/api/task-schemas.ts';
import { TaskSubmission } from '../../shared/contract/submission/schema.ts';

const TIME = '2026-11-20T10:00:00.000Z';
export const TREE = 'a'.repeat(40);
export const BASE = 'b'.repeat(40);

/** A task as the API shows it; open and fresh unless told otherwise. */
export const aTask = (changes: Partial<TaskView> = {}): TaskView => ({
  ...TaskSubmission.parse({ title: 'Fix the door', repository: 'https://example.com/house.git' }),
  id: 't-1',
  status: 'open',
  version: 1,
  created_at: TIME,
  updated_at: TIME,
  created_by: 'ada',
  base_commit: BASE,
  resolved_role: null,
  waits_for: null,
  blocked_reason: null,
  retries: 0,
  first_budgeted_attempt: 1,
  hold: null,
  review: null,
  delivery: null,
  failure: null,
  ended_at: null,
  verified: null,
  verification_count: null,
  flagged_unverified: false,
  attempt_count: 0,
  model: null,
  cost_usd: 0,
  judging_cost_usd: 0,
  saved_vs_direct_opus_usd: null,
  verdict: null,
  reasons: [],
  branch: null,
  lease_until: null,
  progress: null,
  ...changes,
});

/** An attempt on the cheapest tier that passed. */
export const anAttempt = (changes: Partial<AttemptView> = {}): AttemptView => ({
  number: 1,
  model: 'claude-haiku-4-5',
  tier: 'haiku',
  effort: 'low',
  route: { rule: 'task', reason: 'the task names the model' },
  outcome: 'passed',
  started_at: TIME,
  ended_at: '2026-11-20T10:01:30.000Z',
  lease_holder: 'managed',
  lease_until: 0,
  progress: null,
  usage: null,
  cost_usd: 0.0123,
  reported_usage: null,
  metered_usage: null,
  judging_cost_usd: 0,
  inputs: [],
  quality_score: null,
  janitor_result: null,
  report: {
    status: 'completed',
    summary: 'did it',
    failure_code: null,
    output_tail: '',
    retry_after_s: null,
    at: TIME,
  },
  artifact: {
    base_commit: BASE,
    tree: TREE,
    patch_key: 'k',
    patch_sha256: 'c'.repeat(64),
    patch_bytes: 10,
    transcript_key: null,
  },
  verification: null,
  verification_failure: null,
  verdict: null,
  decision: null,
  ...changes,
});

export const aChain = (attempts: AttemptView[], changes: Partial<z.infer<typeof AttemptList>> = {}) => ({
  task_id: 't-1',
  attempts,
  total_cost_usd: 0.0123,
  judging_cost_usd: 0,
  saved_vs_direct_opus_usd: 0.04,
  break_even_pass_rate: 0.25,
  ...changes,
});

export const aStatus = (nudge: Partial<z.infer<typeof DeploymentStatusView>['verification_nudge']> = {}) => ({
  total: 3,
  by_status: {
    blocked: 0,
    open: 1,
    claimed: 0,
    in_progress: 0,
    auth_required: 0,
    in_review: 0,
    done: 2,
    failed: 0,
    cancelled: 0,
  },
  per_role: [{ role: 'backend', by_status: { open: 1, done: 2 } }],
  breakers: [],
  revision: 1,
  cooldowns: [],
  verification_nudge: {
    total_completions: 0,
    verified_count: 0,
    unverified_count: 0,
    unverified_ratio: null,
    threshold_exceeded: false,
    nudge_threshold: 0.3,
    min_completions: 3,
    recent_unverified: [],
    ...nudge,
  },
  generated_at: TIME,
});

export interface Seen {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** Status and body of an answer; `[status, body]`, or the body alone for 200. `drop`: the connection is cut. */
export type Reply = readonly [number, unknown] | 'drop';
export type Handler = (request: Seen, nth: number) => Reply;

export interface FakeApi {
  readonly url: string;
  readonly seen: Seen[];
  close(): Promise<void>;
}

async function handle(request: IncomingMessage, response: ServerResponse, seen: Seen[], handler: Handler) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  const text = Buffer.concat(chunks).toString('utf8');
  const entry: Seen = {
    method: request.method ?? '',
    url: request.url ?? '',
    headers: request.headers,
    body: text === '' ? undefined : (JSON.parse(text) as unknown),
  };
  seen.push(entry);
  const reply = handler(entry, seen.length);
  if (reply === 'drop') {
    request.socket.destroy();
    return;
  }
  const [status, body] = reply;
  response.writeHead(status, {
    'content-type': status < 400 ? 'application/json' : 'application/problem+json',
  });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

/** An API that answers what the test says and remembers what it was asked. */
export async function fakeApi(handler: Handler): Promise<FakeApi> {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    handle(request, response, seen, handler).catch((error: unknown) => {
      response.writeHead(599).end(String(error));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

export const problem = (status: number, code: string, more: object = {}): Reply => [
  status,
  { type: `urn:assay:problem:${code}`, title: `title of ${code}`, status, detail: '', code, ...more },
];

export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly stdin?: string;
  /** Width of the terminal; absent: standard output and error are pipes. */
  readonly terminal?: number;
  /** Its height; 40 unless told otherwise. */
  readonly rows?: number;
  /** Shows a text page by page there, or cannot. */
  readonly page?: (text: string) => Promise<boolean>;
}

/** Runs `assay` in this process, with its own streams. */
export async function assay(argv: readonly string[], options: RunOptions = {}): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  const stream = {
    isTTY: options.terminal !== undefined,
    columns: options.terminal,
    rows: options.rows ?? 40,
  };
  const io: CommandIo = {
    env: options.env ?? {},
    cwd: options.cwd ?? '/nonexistent',
    stdout: {
      ...stream,
      write: (text) => {
        stdout += text;
      },
    },
    stderr: {
      ...stream,
      write: (text) => {
        stderr += text;
      },
    },
    readStdin: async () => options.stdin ?? '',
    ...(options.page && { page: options.page }),
  };
  const code = await runCli(argv, io);
  return { code, stdout, stderr };
}
