import { readFileSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { VerificationNudgeRow } from '../../../shared/control/ledger/record-rows.ts';
import { agent, PROJECT, Repository, RIGHT, uses, writes } from '../../../test/system/support/repository.ts';
import { Stack } from '../../../test/system/support/stack.ts';
import { createRandomStream, type RandomStream } from '../world/random-stream.ts';
import { getFaultNodeFlags } from './stack-faults.ts';

export interface KillOptions {
  readonly kills: number;
  readonly tasks: number;
  readonly seed: number;
  /** Planted into the stack; null: none. */
  readonly fault: string | null;
  say(line: string): void;
}

export interface KillReport {
  readonly kills: number;
  /** Kills at a moment that was waited for, not drawn. */
  readonly at_moments: number;
  readonly tasks: number;
  readonly attempts: number;
  /** Runs of agents, each with its attempt. */
  readonly agents: number;
  /** What was not as it must be, in words. */
  readonly broken: readonly string[];
}

/** Milliseconds after a start in which it is killed: a task is done in some hundred. */
const LONGEST = 2_500;
/** A kill that waits for a moment takes place after so long at the latest, in milliseconds. */
const PATIENCE = 60_000;
/**
 * Milliseconds after which a task that has not come to its end is called lost. What the stack misses at its start is
 * found after the grace of a start, at the next minute; on a busy machine that may be so more than once.
 */
const FOUND_AGAIN = 300_000;
/** Milliseconds after such a moment. */
const SHORTLY = 400;
const MOST_RETRIES = 10;

/** Moments at which a kill is most likely to be met by what a repeated call would do again. */
const MOMENTS = {
  /** RunTask has written its client token, and nobody knows of the box yet. */
  'the record of a RunTask': ({ stack }: KillRun) => [join(stack.dataDir, 'ecs-tasks'), /\.json$/],
  /** An agent has begun to work, and the message that launched it is perhaps not deleted yet. */
  'the first act of an agent': ({ repository }: KillRun) => [repository.folder, /^runs$/],
} as const satisfies { [name: string]: (scene: KillRun) => readonly [folder: string, file: RegExp] };
type Moment = keyof typeof MOMENTS;
/** In turn; null: a moment that chance draws. */
const TURNS: readonly (Moment | null)[] = [null, 'the first act of an agent', 'the record of a RunTask'];

/** Resolves when a file is written to. False when that did not come. */
async function comes(moment: Moment, scene: KillRun): Promise<boolean> {
  const [folder, file] = MOMENTS[moment](scene);
  const ended = new AbortController();
  const seen = Promise.withResolvers<boolean>();
  const watcher = watch(folder, { signal: ended.signal }, (_event, name) => {
    if (name !== null && file.test(name)) seen.resolve(true);
  });
  watcher.on('error', () => seen.resolve(false));
  const found = await Promise.race([seen.promise, pause(PATIENCE, false)]);
  ended.abort();
  return found;
}

/** Submits under an id of our own until the answer comes: a kill may take it away after the task was accepted. */
async function submit(stack: Stack, task: Record<string, unknown>): Promise<boolean> {
  const answer = await stack
    .call('POST', '/tasks', task, { 'idempotency-key': String(task['id']) })
    .catch(() => null);
  if (answer === null) return false;
  if (answer.status !== 201 && answer.status !== 200)
    throw new Error(`submit: ${answer.status} ${JSON.stringify(answer.body)}`);
  return true;
}

interface KillRun {
  readonly stack: Stack;
  readonly repository: Repository;
  readonly runs: string;
  readonly ids: readonly string[];
}

function taskOf(
  { repository, runs, ids }: KillRun,
  index: number,
  random: RandomStream,
): Record<string, unknown> {
  const thinks = random.int(600);
  const code = [
    `fs.appendFileSync(${JSON.stringify(runs)}, process.env.ASSAY_TASK_ID + '/' + process.env.ASSAY_ATTEMPT + '\\n');`,
    `await new Promise((done) => setTimeout(done, ${thinks}));`,
    writes('src/sum.js', RIGHT),
    uses(10, 10),
  ];
  return {
    id: ids[index],
    title: `Task ${index}`,
    repository: repository.url,
    adapter: agent(code.join(' ')),
    max_retries: MOST_RETRIES,
    ...(index % 4 === 3 ? { depends_on: [ids[index - 1]] } : {}),
  };
}

/** Kills at moments that chance draws, and at those that were named, while tasks come in and run. */
async function killing(scene: KillRun, options: KillOptions, random: RandomStream): Promise<number> {
  const { stack, ids } = scene;
  const tasks = ids.map((_, index) => taskOf(scene, index, random));
  let atMoments = 0;
  for (let kill = 0; kill < options.kills; kill += 1) {
    // A message that a life has done with comes again in the next one.
    await stack.faults({ duplicateMessages: true, lostRemovals: true });
    // Each life takes in some more of them, and those whose answer was lost once more.
    const share = Math.ceil(tasks.length / (options.kills - kill));
    let isOver = false;
    const submitting = (async () => {
      for (let taken = 0; taken < share && tasks[0] && !isOver; taken += 1)
        if (await submit(stack, tasks[0])) tasks.shift();
    })();
    const moment = TURNS[kill % TURNS.length] ?? null;
    const delay = random.int(moment === null ? LONGEST : SHORTLY);
    if (moment !== null && (await comes(moment, scene))) atMoments += 1;
    await pause(delay);
    await stack.kill();
    isOver = true;
    await submitting;
    options.say(`kill ${kill + 1}: ${delay} ms after ${moment ?? 'the start'}`);
    await stack.restart();
  }
  for (const task of tasks) if (!(await submit(stack, task))) throw new Error('the stack does not answer');
  return atMoments;
}

/** What must be true of one task when all is over. */
async function lookAt(
  { stack, repository }: KillRun,
  id: string,
): Promise<{ attempts: number; broken: string[] }> {
  const task = await stack.ended(id, FOUND_AGAIN).catch((error: unknown) => error as Error);
  if (task instanceof Error) return { attempts: 0, broken: [`${id} is lost: ${task.message}`] };
  const attempts = await stack.attempts(id);
  const broken: string[] = [];
  const check = (holds: boolean, what: string): void => {
    if (!holds) broken.push(`${id}: ${what}`);
  };
  check(task.status === 'done', `it is ${task.status}: ${JSON.stringify(task.failure)}`);
  check(
    attempts.every(({ number }, index) => number === index + 1),
    'attempts are not numbered one by one',
  );
  check(
    attempts.filter(({ outcome }) => outcome === 'passed').length === 1,
    'not just one attempt has passed',
  );
  const there = repository.branches().includes(`assay/${id}`);
  check(there, 'it was not delivered');
  check(!there || repository.commitsAbove('main', `assay/${id}`) === 1, 'it was delivered more than once');
  return { attempts: attempts.length, broken };
}

function twice(names: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].flatMap(([name, count]) => (count > 1 ? [`${name}, ${count} times`] : []));
}

async function lookAtAll(scene: KillRun): Promise<Omit<KillReport, 'kills' | 'at_moments' | 'tasks'>> {
  const { stack, ids, runs } = scene;
  const found = [];
  for (const id of ids) found.push(await lookAt(scene, id));
  const broken = found.flatMap((each) => each.broken);
  const agents = readFileSync(runs, 'utf8').trim().split('\n');
  broken.push(...twice(agents).map((each) => `an attempt ran its agent more than once: ${each}`));
  const { body } = await stack.call<{ verification_nudge: { total_completions: number } }>('GET', '/status');
  const counted = body.verification_nudge.total_completions;
  if (counted !== ids.length) broken.push(`${counted} completions counted of ${ids.length}`);
  const rows = await stack.records<VerificationNudgeRow>('verification_nudges');
  const recorded = new Set(rows.map(({ record_id }) => record_id)).size;
  if (recorded !== ids.length) broken.push(`${recorded} completions recorded of ${ids.length}`);
  return { attempts: found.reduce((sum, { attempts }) => sum + attempts, 0), agents: agents.length, broken };
}

/** The embedded stack as a process that is killed again and again while tasks run, until all have come to their end. */
export async function runRealKills(options: KillOptions): Promise<KillReport> {
  const random = createRandomStream('kills', options.seed);
  const repository = new Repository(PROJECT);
  const stack = await Stack.start({}, options.fault === null ? [] : getFaultNodeFlags(options.fault));
  const ids = Array.from({ length: options.tasks }, (_, index) => `killed-${index}`);
  const scene: KillRun = { stack, repository, runs: join(repository.folder, 'runs'), ids };
  try {
    const at_moments = await killing(scene, options, random);
    return { kills: options.kills, at_moments, tasks: ids.length, ...(await lookAtAll(scene)) };
  } finally {
    await stack.stop();
    repository.remove();
  }
}
