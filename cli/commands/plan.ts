import { randomUUID } from 'node:crypto';
import type { Command } from 'commander';
import type { PlanView } from '../../shared/api/plan-schemas.ts';
import { ADAPTER_KINDS, type AdapterKind } from '../../shared/contract/agents/adapter.ts';
import { AUTONOMY_LEVELS, type AutonomyLevel } from '../../shared/contract/approval/autonomy.ts';
import { EFFORTS, type Effort } from '../../shared/contract/submission/schema.ts';
import type { PlanState } from '../../shared/control/planning/state.ts';
import { action, examples, JSON_OPTION } from '../command.ts';
import { CliError, EXIT, type ExitCode } from '../exit.ts';
import { followWithin } from '../follow.ts';
import type { Io } from '../io.ts';
import { taskProgress } from '../output/progress.ts';
import { oneLine } from '../output/text.ts';
import { mermaid, renderPlan } from '../plan/graph.ts';
import type { Session } from '../session.ts';
import { SUMMARY } from '../summary.ts';
import { timeLimit } from '../time-limit.ts';

interface Options {
  readonly repo: string;
  readonly base?: string;
  readonly adapter?: AdapterKind;
  readonly model?: string;
  readonly effort?: Effort;
  readonly maxTasks?: string;
  readonly criterion?: readonly string[];
  readonly autonomy?: AutonomyLevel;
  readonly replan?: boolean;
  readonly yes?: boolean;
  readonly mermaid?: boolean;
  readonly timeout?: number;
  readonly idempotencyKey?: string;
}

/** Exit code by state of the plan: a proposed plan needs approval. */
const EXIT_OF: Readonly<Record<PlanState, ExitCode>> = {
  planning: EXIT.ok,
  proposed: EXIT.needsReview,
  creating: EXIT.ok,
  created: EXIT.ok,
  failed: EXIT.failed,
  cancelled: EXIT.failed,
};

function show(plan: PlanView, session: Session, asMermaid: boolean): void {
  if (session.json) session.printJson({ plan });
  else session.print(asMermaid ? mermaid(plan) : renderPlan(plan, session.out));
  if (!session.json && plan.state === 'proposed')
    session.note(
      `Nothing is made yet. Say yes with \`assay plans approve ${plan.id}\`, or no with \`assay plans reject ${plan.id} --reason …\`.`,
    );
}

const word = (value: string | undefined, name: string, known: readonly string[]): void => {
  if (value !== undefined && !known.includes(value))
    throw new CliError(
      EXIT.usage,
      'bad_option',
      `--${name} ${oneLine(value)}: known are ${known.join(', ')}.`,
    );
};

async function settled(session: Session, id: string, seconds: number | undefined): Promise<PlanView> {
  const progress = taskProgress(session.io.stderr, session.err, [id]);
  try {
    await followWithin(seconds, session.client(), [id], progress.show);
  } finally {
    progress.stop();
  }
  return session.client().getPlan({ id });
}

export function registerPlan(program: Command, io: Io): void {
  const plan = program
    .command('plan')
    .argument('<goal>', 'what is to be reached, in words')
    .description(SUMMARY.plan)
    .requiredOption('--repo <url>', 'repository')
    .option('--base <ref>', 'branch, tag or commit to plan on (default: main)')
    .option(
      '--adapter <kind>',
      `agent for the plan and its tasks: ${ADAPTER_KINDS.slice(0, -1).join(', ')} (default: that of the deployment)`,
    )
    .option('--model <model>', 'tier or model that plans (default: opus)')
    .option('--effort <effort>', `effort of planning: ${EFFORTS.join(', ')} (default: max)`)
    .option('--max-tasks <number>', 'most tasks of the plan (default: 20)')
    .option(
      '--criterion <text>',
      'what must be true in the end; may be given again',
      (text: string, all: string[] = []) => [...all, text],
    )
    .option(
      '--autonomy <level>',
      `make the tasks of a plan that holds without a person: ${AUTONOMY_LEVELS.slice(0, 2).join(', ')} (default: a person is asked)`,
    )
    .option('--replan', 'plan the goal anew when a task of the plan fails for good, twice at most')
    .option('--yes', 'make the tasks without asking, when the plan holds')
    .option('--mermaid', 'print the graph for Mermaid')
    .option('--timeout <seconds>', 'give up waiting after this long (exit 124)', timeLimit)
    .option('--idempotency-key <key>', 'makes repeating this command safe; default: a new key each time')
    .option(...JSON_OPTION);
  action<[string, Options]>(plan, io, async (session, goal, options) => {
    word(options.adapter, 'adapter', ADAPTER_KINDS.slice(0, -1));
    word(options.effort, 'effort', EFFORTS);
    word(options.autonomy, 'autonomy', AUTONOMY_LEVELS);
    const { adapter, maxTasks } = options;
    const submitted = await session.client().submitPlan({
      idempotencyKey: options.idempotencyKey ?? randomUUID(),
      body: {
        goal,
        repository: options.repo,
        ...(options.base === undefined ? {} : { base_ref: options.base }),
        ...(adapter === undefined || adapter === 'command' ? {} : { adapter: { kind: adapter } }),
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(options.effort === undefined ? {} : { effort: options.effort }),
        ...(options.criterion && { acceptance_criteria: [...options.criterion] }),
        ...(options.autonomy && { autonomy: options.autonomy }),
        ...(options.replan && { coordination: { replan_strategy: 'magentic' as const } }),
        ...(maxTasks === undefined ? {} : { max_tasks: Number(maxTasks) }),
      },
    });
    let present = await settled(session, submitted.id, options.timeout);
    if (options.yes && present.state === 'proposed' && present.tree !== null) {
      // The tree says which proposal the yes is for: another one in its place is refused.
      await session
        .client()
        .approvePlan({ id: present.id, body: { reason: 'assay plan --yes', tree: present.tree } });
      present = await settled(session, present.id, options.timeout);
    }
    show(present, session, options.mermaid === true);
    return EXIT_OF[present.state];
  });
  examples(plan, [
    [
      'plan "Prices are rounded half to even everywhere" --repo https://github.com/you/shop.git',
      'propose; exit 3 while the plan needs approval',
    ],
    [
      'plan "Add a dark theme" --repo https://github.com/you/shop.git --base next --yes',
      'make the tasks when the plan holds',
    ],
    [
      'plan "Add a dark theme" --repo https://github.com/you/shop.git --autonomy semi --replan',
      'without a person where base and deployment allow it, and anew when a task fails',
    ],
    [
      'plan "Split the monolith" --repo https://github.com/you/shop.git --mermaid > plan.mmd',
      'a graph for a document',
    ],
  ]);

  const plans = program.command('plans').description(SUMMARY.plans);
  const shown = plans
    .command('show')
    .argument('<id>', 'plan id')
    .description('Show a plan: its tasks as a graph, where it stands, what is wrong with it')
    .option('--mermaid', 'print the graph for Mermaid')
    .option(...JSON_OPTION);
  action<[string, Options]>(shown, io, async (session, id, options) => {
    const present = await session.client().getPlan({ id });
    show(present, session, options.mermaid === true);
    return EXIT.ok;
  });
  examples(shown, [['plans show 01JD8Z0000EXAMPLE', 'the graph, with the status of what is made']]);
  for (const [name, call, description, line] of [
    ['approve', 'approvePlan', 'Say yes: the tasks of the plan are made', 'the tasks are made'],
    ['reject', 'rejectPlan', 'Say no: it is planned again, with the reason', 'planned again'],
  ] as const) {
    const command = plans
      .command(name)
      .argument('<id>', 'plan id')
      .description(description)
      .option('--reason <text>', 'why; the planner reads it')
      .option('--tree <tree>', 'only when this is still what is proposed')
      .option(...JSON_OPTION);
    action<[string, { readonly reason?: string; readonly tree?: string }]>(
      command,
      io,
      async (session, id, { reason, tree }) => {
        const body = { ...(reason === undefined ? {} : { reason }), ...(tree === undefined ? {} : { tree }) };
        const present = await session.client()[call]({ id, body });
        if (session.json) session.printJson({ plan: present });
        else session.print(`${present.id} ${present.state}: ${line}`);
        return EXIT.ok;
      },
    );
    examples(command, [
      [`plans ${name} 01JD8Z0000EXAMPLE --reason "as discussed"`, description.toLowerCase()],
    ]);
  }
}
