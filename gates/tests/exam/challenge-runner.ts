import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import * as z from 'zod';
import { HiddenTestFile } from '../../../shared/contract/submission/hidden-tests.ts';
import { isSameSecret, listenOnLoopback } from '../../../shared/lib/loopback-listener.ts';
import { editTree, writeBlob } from '../../../workspace/git/edit-tree.ts';
import type { Sandbox, SandboxFactory } from '../../core/sandbox-factory.ts';

/** Limits of what a challenger may run: runs, seconds of one run, bytes of a request, characters of an output. */
const MAX_RUNS = 300;
const RUN_TIMEOUT_MS = 300_000;
const MAX_REQUEST_BYTES = 2 * 1_048_576;
const MAX_OUTPUT_CHARS = 20_000;

const RunRequest = z.strictObject({
  tree: z.enum(['base', 'patched']),
  command: z.string().min(1).max(4_000),
  files: z
    .array(z.strictObject({ path: HiddenTestFile.shape.path, content: z.base64() }))
    .max(200)
    .default([]),
});
type RunRequest = z.output<typeof RunRequest>;

export interface ChallengeRunner {
  /** Address with a secret path. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/**
 * Runs commands for a challenger in sandboxes, as other users than its own, one after the other. Only who knows the secret path is
 * served. A run ends when its client does.
 */
export async function startChallengeRunner(
  sandboxes: SandboxFactory,
  trees: Readonly<Record<RunRequest['tree'], string>>,
): Promise<ChallengeRunner> {
  const secret = randomBytes(24).toString('base64url');
  const rooms = new Map<string, Sandbox>();
  let runs = 0;
  let last: Promise<unknown> = Promise.resolve();
  const runIn = async (sandbox: Sandbox, command: string, abort: AbortSignal) => {
    const { end, exitCode, output } = await sandbox.run({ line: command }, RUN_TIMEOUT_MS, {}, abort);
    return { end, exit_code: exitCode, output: output.slice(-MAX_OUTPUT_CHARS) };
  };
  const run = async ({ tree, command, files }: RunRequest, abort: AbortSignal) => {
    if (++runs > MAX_RUNS) return { end: 'refused', exit_code: null, output: 'too many runs\n' };
    const of = trees[tree];
    if (files.length === 0) {
      const room = rooms.get(of) ?? (await sandboxes.createSandbox(of));
      rooms.set(of, room);
      return runIn(room, command, abort);
    }
    return sandboxes.withPrivateTree(
      (store) =>
        editTree(
          store,
          of,
          files.map(({ path, content }) => ({
            path,
            entry: { id: writeBlob(store, Buffer.from(content, 'base64')), mode: '100644' },
          })),
        ),
      async (made) => runIn(await sandboxes.createSandbox(made), command, abort),
    );
  };
  const access = {
    servesPages: false,
    isAuthenticated: ({ url = '' }: IncomingMessage) => isSameSecret(url, `/${secret}`),
  };
  const listener = await listenOnLoopback(access, (request, response) => {
    const answer = (status: number, value: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    if (request.method !== 'POST') return answer(405, {});
    const gone = new AbortController();
    response.once('close', () => gone.abort());
    // Read at once: the server gives a request up that is not read for minutes.
    const reading = readJson(request);
    const next = last.then(async () => {
      const parsed = RunRequest.safeParse(await reading);
      return parsed.success && !gone.signal.aborted
        ? run(parsed.data, gone.signal)
        : { end: 'refused', exit_code: null, output: 'the request is not valid\n' };
    });
    last = next.catch(() => {});
    next.then(
      (value) => answer(200, value),
      () => answer(200, { end: 'failed', exit_code: null, output: 'the command could not be run\n' }),
    );
  });
  return {
    url: `${listener.url}/${secret}`,
    // Ends the runs of all clients.
    close: async () => {
      await listener.stop();
      await last;
    },
  };
}

async function readJson(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const part of request) {
      bytes += (part as Buffer).length;
      if (bytes > MAX_REQUEST_BYTES) return null;
      parts.push(part as Buffer);
    }
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return null;
  }
}
