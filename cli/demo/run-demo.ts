import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ApiRouteClient, createApiRouteClient } from '../client.ts';
import type { ConnectionFile } from '../connection.ts';
import { CLI_EXIT_CODES, CliError } from '../exit.ts';
import { followTasks } from '../follow-tasks.ts';
import { findStackProgram } from '../installation.ts';
import { spawnLocalStack } from '../local-stack.ts';
import { startTaskProgressDisplay } from '../output/task-progress.ts';
import type { ServerCommandSession } from '../session.ts';
import type { DemoAgent } from './demo-agent.ts';
import { createDemoRepository, listDeliveredBranches } from './demo-repository.ts';
import type { DemoResult, DemoTaskOutcome } from './demo-result.ts';
import {
  buildDemoTasks,
  buildDroppedRequirementTask,
  buildHardCodedAnswerTask,
  buildVerificationStageTask,
  type DemoTask,
} from './demo-tasks.ts';
import { startScriptedJudge } from './scripted-judge.ts';
import { approveScriptedTasks } from './scripted-reviewer.ts';

/** Time limits in milliseconds: the demo takes seconds with scripted agents, minutes with a real one. */
const LIMIT_MS = { scripted: 120_000, real: 1_800_000 };

async function followAll(
  session: ServerCommandSession,
  client: ApiRouteClient,
  tasks: readonly DemoTask[],
  interrupted: AbortSignal,
  limitMs: number,
): Promise<DemoTaskOutcome[]> {
  const ids = tasks.map(({ task }) => task.id);
  const progress = startTaskProgressDisplay(session.io.stderr, session.err, ids);
  const timeout = AbortSignal.timeout(limitMs);
  try {
    const options = { signal: AbortSignal.any([interrupted, timeout]), onChange: progress.show };
    let ended = await followTasks(client, ids, options);
    for (;;) {
      const approved = await approveScriptedTasks(client, tasks, ended);
      if (approved.length === 0) break;
      const after = await followTasks(client, approved, options);
      ended = ended.map((task) => after.find(({ id }) => id === task.id) ?? task);
    }
    return await Promise.all(
      ended.map(async (task) => ({ task, attempts: (await client.listAttempts({ id: task.id })).attempts })),
    );
  } catch (error) {
    if (interrupted.aborted) throw interrupted.reason;
    if (timeout.aborted)
      throw new CliError(
        CLI_EXIT_CODES.timeout,
        'timeout',
        `The demo did not end within ${limitMs / 1_000} s.`,
      );
    throw error;
  } finally {
    progress.stop();
  }
}

/** Makes the stack write the records that wait in its batching windows. */
async function drain({ control_url, secret_access_key }: ConnectionFile): Promise<void> {
  const response = await fetch(new URL('/_assay/drain', control_url), {
    method: 'POST',
    headers: { authorization: `Bearer ${secret_access_key}` },
  });
  if (!response.ok) throw new Error(`the embedded stack could not be drained: ${response.status}`);
}

const listJsonlFiles = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.jsonl'))
    .sort();

/** Optional parts of the demo. */
export const OPTIONAL_DEMO_PARTS = ['stage'] as const;
export type OptionalDemoPart = (typeof OPTIONAL_DEMO_PARTS)[number];

/** Runs the demo in a new temporary folder, which is kept. Every process that it starts has ended when it returns. */
export async function runDemo(
  session: ServerCommandSession,
  agent: DemoAgent | null,
  extra: OptionalDemoPart | null = null,
): Promise<{ tasks: readonly DemoTask[]; result: DemoResult }> {
  findStackProgram();
  const started = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'assay-demo-'));
  const repository = createDemoRepository(join(folder, 'repository.git'));
  session.note('Starting the embedded stack from the synthesised template …');
  // Scripted agents have a scripted judge; the tasks of a real agent have none.
  const judge = agent ? null : await startScriptedJudge();
  const env = { ...agent?.env, ...judge?.env };
  const stack = await spawnLocalStack({ dataDir: join(folder, 'state'), env }).catch(
    async (error: unknown) => {
      await judge?.stop();
      throw error;
    },
  );
  try {
    const { url, token, records_dir } = stack.connection;
    const client = createApiRouteClient({ url, token, source: 'the demo' });
    const tasks = agent
      ? buildDemoTasks(repository.url, agent.adapter)
      : [
          ...buildDemoTasks(repository.url),
          buildHardCodedAnswerTask(repository.url),
          buildDroppedRequirementTask(repository.url),
          ...(extra === 'stage' ? [buildVerificationStageTask(repository.url)] : []),
        ];
    session.note(`Submitting ${tasks.length} tasks to ${url}\n`);
    await client.submitBatch({ body: { tasks: tasks.map(({ task }) => task) } });
    const outcomes = await followAll(
      session,
      client,
      tasks,
      stack.interrupted,
      agent ? LIMIT_MS.real : LIMIT_MS.scripted,
    );
    await drain(stack.connection);
    const { verification_nudge: nudge } = await client.status({});
    return {
      tasks,
      result: {
        agent: agent && { kind: agent.kind, models: agent.models },
        outcomes,
        nudge,
        branches: listDeliveredBranches(repository),
        recordFiles: listJsonlFiles(records_dir),
        recordsDir: records_dir,
        repository: repository.folder,
        folder,
        elapsedMs: Math.round(performance.now() - started),
      },
    };
  } finally {
    await stack.stop();
    await judge?.stop();
  }
}
