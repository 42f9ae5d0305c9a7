import type { TaskView } from '../../shared/api/task-schemas.ts';
import { AGENT_CLI_KINDS, type AgentCliKind } from '../../shared/contract/agents/adapter-manifests.ts';
import { isTerminalStatus } from '../../shared/contract/task/status.ts';
import { CLI_EXIT_CODES, CliError, type CliExitCode } from '../exit.ts';
import { followTasksWithProgress } from '../follow-tasks.ts';
import { defineOption, parseTimeLimit } from '../parameters.ts';
import { defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { describeTaskState, measureSmokeSteps, type SmokeStep } from '../smoke/smoke-steps.ts';
import { buildSmokeTask, prepareSmokeRepository } from '../smoke/smoke-task.ts';

/** On Fargate two containers start one after the other, and each pulls its image. */
const DEFAULT_TIMEOUT_S = 900;

/** Success only if the task is verified and delivered. */
function exitCodeFor(task: TaskView): CliExitCode {
  if (task.status === 'done' && task.verified && task.delivery?.state === 'delivered')
    return CLI_EXIT_CODES.ok;
  if (task.hold) return CLI_EXIT_CODES.needsReview;
  return isTerminalStatus(task.status) ? CLI_EXIT_CODES.failed : CLI_EXIT_CODES.timeout;
}

/** Times of the client in milliseconds. */
interface ClientTimes {
  readonly reach: number;
  readonly submit: number;
}

const seconds = (ms: number | null): string => (ms === null ? '-' : (ms / 1_000).toFixed(2));

function renderSteps(
  session: ServerCommandSession,
  { reach, submit }: ClientTimes,
  steps: readonly SmokeStep[],
  total: number,
): string {
  const rows = [
    ['reach', seconds(reach), 'the API answers and accepts the token'],
    ['submit', seconds(submit), 'the API accepts the task'],
    ...steps.map(({ step, ms, description }) => [step, seconds(ms), description]),
    ['total', seconds(total), 'seen from here, with polling'],
  ];
  const columns = [
    { title: 'STEP' },
    { title: 'SECONDS', align: 'right' as const },
    { title: 'WHAT', shrinkTo: 12 },
  ];
  return session.table(columns, rows);
}

/** Follows the task within a time limit. Returns its last state. */
async function followTask(
  session: ServerCommandSession,
  id: string,
  limit: number,
): Promise<TaskView | undefined> {
  try {
    const [task] = await followTasksWithProgress(session, [id], limit);
    return task;
  } catch (error) {
    if (!(error instanceof CliError) || error.exitCode !== CLI_EXIT_CODES.timeout) throw error;
    return session.client().getTask({ id });
  }
}

async function measure<T>(work: () => Promise<T>): Promise<{ readonly ms: number; readonly value: T }> {
  const started = performance.now();
  const value = await work();
  return { ms: Math.round(performance.now() - started), value };
}

interface SmokeOptions {
  readonly repository: string | undefined;
  readonly base: string;
  readonly agent: AgentCliKind | undefined;
  readonly timeout: number;
}

async function runSmokeTest(session: ServerCommandSession, options: SmokeOptions): Promise<CliExitCode> {
  const { url } = session.connection();
  const repository = prepareSmokeRepository(url, options.repository, options.base);
  try {
    const client = session.client();
    const { ms: reach } = await measure(() => client.status({}));
    const body = buildSmokeTask(repository, options.agent);
    const { ms: submit } = await measure(() => client.submitTask({ body, idempotencyKey: body.id }));
    const { ms, value: task } = await measure(() => followTask(session, body.id, options.timeout));
    if (!task) throw new Error(`task ${body.id} is gone`);
    const { attempts } = await client.listAttempts({ id: body.id });
    const steps = measureSmokeSteps(task, attempts);
    const code = exitCodeFor(task);
    const total = reach + submit + ms;
    const detail = describeTaskState(task);
    const result = {
      url,
      task_id: task.id,
      ok: code === CLI_EXIT_CODES.ok,
      status: task.status,
      detail,
      branch: task.branch,
      cost_usd: task.cost_usd,
      steps: [
        { step: 'reach', ms: reach },
        { step: 'submit', ms: submit },
        ...steps.map((each) => ({ step: each.step, ms: each.ms })),
      ],
      total_ms: total,
    };
    const { green, red } = session.out;
    const verdict = result.ok
      ? green(`ok: ${task.id} is verified and delivered to ${task.branch}`)
      : red(`not ok: ${task.id} is ${detail}`);
    session.show(result, () => `${renderSteps(session, { reach, submit }, steps, total)}\n${verdict}`);
    return code;
  } finally {
    repository.remove();
  }
}

export const smokeCommand = defineServerCommand({
  name: 'smoke',
  options: {
    repository: defineOption(
      '--repository <url>',
      'a repository that the deployment may push to (default on this machine: a built-in one)',
    ),
    base: defineOption('--base <ref>', 'with --repository: branch, tag or commit to start from', {
      default: 'main',
    }),
    agent: defineOption(
      '--agent <kind>',
      'an agent CLI of the deployment does the task with a model, for a few cents (default: a shell, without a model)',
      { choices: AGENT_CLI_KINDS },
    ),
    timeout: defineOption('--timeout <seconds>', 'stop waiting after this long (exit code 124)', {
      parse: parseTimeLimit,
      default: DEFAULT_TIMEOUT_S,
    }),
  },
  json: {
    text: '`--json` prints the result. Times are milliseconds; null: the task has not reached that step. The exit code is 0 when the task is verified and delivered, 3 when it needs review, 1 when it failed, 124 when the time limit passed; `detail` says why.',
    example:
      '{"url": "https://…", "task_id": "smoke-1a2b3c4d", "ok": true, "status": "done", "detail": "done", "branch": "assay/smoke-1a2b3c4d", "cost_usd": 0, "steps": [{"step": "reach", "ms": 12}, {"step": "agent", "ms": 45210}], "total_ms": 112000}',
  },
  examples: [
    ['smoke', 'the stack that `assay up` runs here'],
    [
      'smoke --url https://… --repository https://github.com/acme/sandbox',
      'a deployment; the token is in ASSAY_TOKEN',
    ],
    [
      'smoke --agent claude --url https://… --repository https://github.com/acme/sandbox',
      'the same by Claude Code, with a model of the cheapest tier',
    ],
    ["smoke --json | jq '.steps[] | [.step, .ms]'", 'the times for a script'],
  ],
  run: runSmokeTest,
});
