import type { Command } from 'commander';
import type { TaskView } from '../../shared/api/schemas.ts';
import { isTerminal } from '../../shared/contract/task/status.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { followWithin } from '../follow.ts';
import type { Io } from '../io.ts';
import { taskProgress } from '../output/progress.ts';
import { renderTable } from '../output/table.ts';
import type { Session } from '../session.ts';
import { type Step, standing, stepsOf } from '../smoke/steps.ts';
import { smokeRepository, smokeTask } from '../smoke/task.ts';
import { SUMMARY } from '../summary.ts';
import { timeLimit } from '../time-limit.ts';

interface Options {
  readonly repository?: string;
  readonly base: string;
  readonly timeout: number;
}

/** Seconds: on Fargate two boxes start one after the other, each with a pull. */
const PATIENCE = 900;

/** Good is what was verified and delivered; a task that a person is asked about is neither good nor bad. */
function exitCodeFor(task: TaskView): ExitCode {
  if (task.status === 'done' && task.verified && task.delivery?.state === 'delivered') return EXIT.ok;
  if (task.hold) return EXIT.needsReview;
  return isTerminal(task.status) ? EXIT.failed : EXIT.timeout;
}

/** What was timed from here: the address answers, knows the token, and takes a task. */
interface Here {
  readonly reach: number;
  readonly submit: number;
}

const seconds = (ms: number | null): string => (ms === null ? '-' : (ms / 1_000).toFixed(2));

function render(session: Session, { reach, submit }: Here, steps: readonly Step[], total: number): string {
  const rows = [
    ['reach', seconds(reach), 'the address answers, and knows the token'],
    ['submit', seconds(submit), 'the task is taken'],
    ...steps.map(({ step, ms, about }) => [step, seconds(ms), about]),
    ['all', seconds(total), 'from here, with the asking'],
  ];
  const columns = [
    { title: 'STEP' },
    { title: 'SECONDS', align: 'right' as const },
    { title: 'WHAT', shrinkTo: 12 },
  ];
  return renderTable(columns, rows, session.io.stdout.columns, session.out.dim);
}

/** Follows the task; when the time is over, how it stands then. */
async function ended(session: Session, id: string, limit: number): Promise<TaskView | undefined> {
  const progress = taskProgress(session.io.stderr, session.err, [id]);
  try {
    const [task] = await followWithin(limit, session.client(), [id], progress.show);
    return task;
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== EXIT.timeout) throw error;
    return session.client().getTask({ id });
  } finally {
    progress.stop();
  }
}

async function timed<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const begun = performance.now();
  const value = await work();
  return { ms: Math.round(performance.now() - begun), value };
}

async function smoke(session: Session, options: Options): Promise<ExitCode> {
  const { url } = session.connection();
  const repository = smokeRepository(url, options.repository, options.base);
  try {
    const client = session.client();
    const { ms: reach } = await timed(() => client.status({}));
    const body = smokeTask(repository);
    const { ms: submit } = await timed(() => client.submitTask({ body, idempotencyKey: body.id }));
    const { ms, value: task } = await timed(() => ended(session, body.id, options.timeout));
    if (!task) throw new Error(`task ${body.id} is gone`);
    const { attempts } = await client.listAttempts({ id: body.id });
    const steps = stepsOf(task, attempts);
    const code = exitCodeFor(task);
    const total = reach + submit + ms;
    if (session.json)
      session.printJson({
        url,
        task_id: task.id,
        ok: code === EXIT.ok,
        status: task.status,
        detail: standing(task),
        branch: task.branch,
        steps: [
          { step: 'reach', ms: reach },
          { step: 'submit', ms: submit },
          ...steps.map((each) => ({ step: each.step, ms: each.ms })),
        ],
        total_ms: total,
      });
    else {
      session.print(render(session, { reach, submit }, steps, total));
      const { green, red } = session.out;
      session.print(
        code === EXIT.ok
          ? green(`ok: ${task.id} is verified and lies on ${task.branch}`)
          : red(`not ok: ${task.id} is ${standing(task)}`),
      );
    }
    return code;
  } finally {
    repository.remove();
  }
}

export function registerSmoke(program: Command, io: Io): void {
  const command = program
    .command('smoke')
    .description(SUMMARY.smoke)
    .option(
      '--repository <url>',
      'one that the deployment may push to; default: a built-in one, where it runs on this machine',
    )
    .option('--base <ref>', 'with --repository: where the work starts from', 'main')
    .option('--timeout <seconds>', 'give up after this long (exit 124)', timeLimit, PATIENCE)
    .option(...JSON_OPTION);
  action<[Options]>(command, io, smoke);
  examples(command, [
    ['smoke', 'the stack that `assay up` runs here'],
    [
      'smoke --url https://… --repository https://github.com/acme/sandbox',
      'a deployment; the token is in ASSAY_TOKEN',
    ],
    ["smoke --json | jq '.steps[] | [.step, .ms]'", 'the times for a script'],
  ]);
}
