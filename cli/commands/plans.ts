import type { PlanView } from '../../shared/api/plan-schemas.ts';
import { DEFAULT_DECISION_REASON } from '../../shared/api/task-schemas.ts';
import { AGENT_CLI_KINDS } from '../../shared/contract/agents/adapter-manifests.ts';
import { REASONING_EFFORT_LEVELS } from '../../shared/contract/agents/effort.ts';
import { AUTONOMY_LEVELS } from '../../shared/contract/approval/autonomy.ts';
import type { PlanState } from '../../shared/control/planning/plan-state.ts';
import { CLI_EXIT_CODES, type CliExitCode } from '../exit.ts';
import { followTasksWithProgress } from '../follow-tasks.ts';
import type { CommandResultText } from '../local-session.ts';
import { renderPlanMermaid, renderPlanTree } from '../output/plan.ts';
import { createIntegerParser, defineArgument, defineOption } from '../parameters.ts';
import { defineRouteCommand, defineServerCommand } from '../server-command.ts';
import type { ServerCommandSession } from '../session.ts';
import { IDEMPOTENCY_KEY_OPTION, TIMEOUT_OPTION } from '../shared-options.ts';

/** Exit code by state of the plan: a proposed plan needs approval. */
const EXIT_CODES: Readonly<Record<PlanState, CliExitCode>> = {
  planning: CLI_EXIT_CODES.ok,
  proposed: CLI_EXIT_CODES.needsReview,
  creating: CLI_EXIT_CODES.ok,
  created: CLI_EXIT_CODES.ok,
  failed: CLI_EXIT_CODES.failed,
  cancelled: CLI_EXIT_CODES.failed,
};

const PLAN_ID = defineArgument('<id>', 'plan id');
const MERMAID = defineOption('--mermaid', 'print the graph for Mermaid');

const viewPlan = (plan: PlanView, session: ServerCommandSession, asMermaid: boolean): CommandResultText => {
  const text = asMermaid ? renderPlanMermaid(plan) : renderPlanTree(plan, session.out);
  if (plan.state !== 'proposed') return text;
  return {
    text,
    note: `No task is created yet. Approve with \`assay plans approve ${plan.id}\`, or reject with \`assay plans reject ${plan.id} --reason …\`.`,
  };
};

/** Waits until the task of the plan has settled. */
async function settledPlan(
  session: ServerCommandSession,
  id: string,
  seconds: number | undefined,
): Promise<PlanView> {
  await followTasksWithProgress(session, [id], seconds);
  return session.client().getPlan({ id });
}

const decisionCommand = (
  name: 'approve' | 'reject',
  route: 'approvePlan' | 'rejectPlan',
  description: string,
  consequence: string,
) =>
  defineRouteCommand({
    name: `plans ${name}`,
    route,
    description,
    arguments: { id: PLAN_ID },
    options: {
      reason: defineOption('--reason <text>', 'reason; the planner reads it', {
        required: name === 'reject',
      }),
      tree: defineOption('--tree <tree>', 'only if this is still the proposed tree'),
    },
    request: ({ id, reason, tree }) => ({ id, body: { reason: reason ?? DEFAULT_DECISION_REASON, tree } }),
    result: (plan) => ({ plan }),
    json: '`--json` prints `{"plan": Plan}`.',
    view: ({ plan }) => `${plan.id} ${plan.state}: ${consequence}`,
    examples: [[`plans ${name} 01JD8Z0000EXAMPLE --reason "as discussed"`, description.toLowerCase()]],
  });

/** `plan` and `plans`: goals that the manager breaks into tasks. */
export const planCommands = [
  defineServerCommand({
    name: 'plan',
    arguments: { goal: defineArgument('<goal>', 'the goal, in words') },
    options: {
      repo: defineOption('--repo <url>', 'repository', { required: true }),
      base: defineOption('--base <ref>', 'branch, tag or commit to plan on (default: main)'),
      adapter: defineOption(
        '--adapter <kind>',
        'agent for the plan and its tasks (default: of the deployment)',
        {
          choices: AGENT_CLI_KINDS,
        },
      ),
      model: defineOption('--model <model>', 'tier or model that plans (default: opus)'),
      effort: defineOption('--effort <effort>', 'effort of planning (default: max)', {
        choices: REASONING_EFFORT_LEVELS,
      }),
      maxTasks: defineOption('--max-tasks <number>', 'maximum number of tasks (default: 20)', {
        parse: createIntegerParser(),
      }),
      criteria: defineOption('--criterion <text>', 'acceptance criterion of the goal (repeatable)', {
        repeatable: true,
      }),
      autonomy: defineOption(
        '--autonomy <level>',
        'at full or semi, a plan that passes its checks is approved automatically (default: an approver decides)',
        { choices: AUTONOMY_LEVELS },
      ),
      replan: defineOption('--replan', 'plan the goal again when a task of the plan fails, at most twice'),
      yes: defineOption('--yes', 'approve the plan yourself if it passes its checks'),
      mermaid: MERMAID,
      timeout: TIMEOUT_OPTION,
      idempotencyKey: IDEMPOTENCY_KEY_OPTION,
    },
    json: '`--json` prints `{"plan": Plan}`.',
    examples: [
      [
        'plan "Prices are rounded half to even everywhere" --repo https://github.com/you/shop.git',
        'propose; exit 3 while the plan needs approval',
      ],
      [
        'plan "Add a dark theme" --repo https://github.com/you/shop.git --base next --yes',
        'create the tasks if the plan passes its checks',
      ],
      [
        'plan "Add a dark theme" --repo https://github.com/you/shop.git --autonomy semi --replan',
        'without approval where base and deployment allow it; plan again when a task fails',
      ],
      [
        'plan "Split the monolith" --repo https://github.com/you/shop.git --mermaid > plan.mmd',
        'a graph for a document',
      ],
    ],
    run: async (session, { goal, timeout, ...options }) => {
      const client = session.client();
      const { adapter, criteria } = options;
      const submitted = await client.submitPlan({
        idempotencyKey: options.idempotencyKey,
        body: {
          goal,
          repository: options.repo,
          base_ref: options.base,
          adapter: adapter && { kind: adapter },
          model: options.model,
          effort: options.effort,
          acceptance_criteria: criteria.length === 0 ? undefined : [...criteria],
          autonomy: options.autonomy,
          coordination: options.replan && { replan_strategy: 'magentic' },
          max_tasks: options.maxTasks,
        },
      });
      let plan = await settledPlan(session, submitted.id, timeout);
      if (options.yes && plan.state === 'proposed' && plan.tree !== null) {
        // The tree names the proposal that is approved: the server refuses another one in its place.
        await client.approvePlan({ id: plan.id, body: { reason: 'assay plan --yes', tree: plan.tree } });
        plan = await settledPlan(session, plan.id, timeout);
      }
      session.show({ plan }, () => viewPlan(plan, session, options.mermaid === true));
      return EXIT_CODES[plan.state];
    },
  }),
  defineRouteCommand({
    name: 'plans show',
    route: 'getPlan',
    description: 'Show a plan: its tasks as a graph, its state, and the findings of its checks',
    arguments: { id: PLAN_ID },
    options: { mermaid: MERMAID },
    request: ({ id }) => ({ id }),
    result: (plan) => ({ plan }),
    json: '`--json` prints `{"plan": Plan}`.',
    view: ({ plan }, session, { mermaid: asMermaid }) => viewPlan(plan, session, asMermaid === true),
    examples: [['plans show 01JD8Z0000EXAMPLE', 'the graph, with the status of each created task']],
  }),
  decisionCommand('approve', 'approvePlan', 'Approve a plan: its tasks are created', 'its tasks are created'),
  decisionCommand(
    'reject',
    'rejectPlan',
    'Reject a plan: the goal is planned again with your reason',
    'the goal is planned again',
  ),
];
