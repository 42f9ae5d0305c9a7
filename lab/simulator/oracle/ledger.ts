import type { VerificationNudge } from '../../../shared/control/ledger/verification-nudge-schema.ts';
import type { Simulation } from '../simulation.ts';
import { listStoredTasks } from './stuck-tasks.ts';

interface Row {
  readonly record_id: string;
  readonly task_id: string;
  readonly [field: string]: unknown;
}

/** The rows of a table of records, as Athena would read them. */
function rows(of: Simulation, table: string): Row[] {
  return of.cloud.bucket
    .keys(`records/table=${table}/`)
    .flatMap((key) => (of.cloud.bucket.body(key) ?? '').split('\n'))
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Row);
}

/** Each completion has its row, by record_id exactly one, and every copy of it says the same. */
function checkRows(of: Simulation): void {
  const byId = new Map<string, string>();
  const found = rows(of, 'verification_nudges');
  for (const row of found) {
    const text = JSON.stringify(row);
    if ((byId.get(row.record_id) ?? text) !== text)
      of.world.reportViolation('a record says one thing', `${row.record_id} has two versions`);
    byId.set(row.record_id, text);
  }
  const done = listStoredTasks(of).filter(({ status }) => status === 'done');
  for (const task of done) {
    const own = new Set(found.filter(({ task_id }) => task_id === task.id).map(({ record_id }) => record_id));
    if (own.size !== 1)
      of.world.reportViolation('each completion in the ledger once', `${task.id} has ${own.size} records`);
  }
  for (const { task_id } of found)
    if (!done.some(({ id }) => id === task_id))
      of.world.reportViolation('only completions in the ledger', `${task_id} is not done`);
}

/** Whoever listens hears of each end, and a repeat says what the first one said. */
function checkEvents(of: Simulation): void {
  const { findEvents } = of.cloud.events;
  for (const [id, texts] of findEvents)
    if (texts.size !== 1)
      of.world.reportViolation('an event says one thing', `${id} has ${texts.size} versions`);
  const told = [...findEvents.values()].flatMap((texts) => [...texts]);
  for (const task of listStoredTasks(of)) {
    const name = { done: 'Task Done', failed: 'Task Failed' }[task.status as string];
    if (name && !told.some((text) => text.startsWith(`${name} `) && text.includes(`"task_id":"${task.id}"`)))
      of.world.reportViolation('each end is told', `nobody heard that ${task.id} is ${task.status}`);
  }
}

interface Status {
  readonly total: number;
  readonly generated_at: string;
  readonly by_status: Readonly<Record<string, number>>;
  readonly verification_nudge: VerificationNudge;
}

/** What `GET /status` says is what a recount says. */
function checkCounters(of: Simulation, said: Status): void {
  const tasks = listStoredTasks(of);
  for (const [status, count] of Object.entries(said.by_status)) {
    const recount = tasks.filter((task) => task.status === status).length;
    if (recount !== count)
      of.world.reportViolation('counters equal a recount', `${status}: ${count} counted, ${recount} there`);
  }
  const done = tasks.filter(({ status }) => status === 'done');
  const verified = done.filter((task) => task.verified).length;
  const { all_time: ever, window, total_completions } = said.verification_nudge;
  if (ever?.verified !== verified || ever.unverified !== done.length - verified)
    of.world.reportViolation(
      'completions are counted once',
      `${ever?.verified} verified and ${ever?.unverified} unverified counted; ${verified} and ${done.length - verified} there`,
    );
  const begins = Date.parse(said.generated_at) - (window?.days ?? 0) * 86_400_000;
  const recent = done.filter(({ ended_at }) => Date.parse(ended_at ?? '') >= begins).length;
  const expected = Math.min(recent, window?.completions ?? 0);
  if (total_completions !== expected)
    of.world.reportViolation(
      'the window has the latest completions',
      `${total_completions} in the window, ${expected} there`,
    );
}

export async function checkLedger(of: Simulation): Promise<void> {
  // Also what was given up has been read again by now.
  checkRows(of);
  checkEvents(of);
  const answer = await of.cloud.requestApi('status', { token: of.operatorToken });
  if (answer.status !== 200) of.world.reportViolation('status answers', `HTTP ${answer.status}`);
  else checkCounters(of, answer.body as unknown as Status);
}
