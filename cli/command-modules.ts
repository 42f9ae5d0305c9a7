import { setFlagsFromString } from 'node:v8';
import type { CommandName } from './command-summaries.ts';
import type { CommandRegistration } from './local-command.ts';

interface CommandModule {
  /** Top-level commands that the module defines. */
  readonly names: readonly CommandName[];
  readonly load: () => Promise<readonly CommandRegistration[]>;
  /** The module needs a program that has every other command in full, too. */
  readonly needsAll?: true;
}

/**
 * Makes V8 trade speed for memory; call it before the modules of a command are loaded. A check reads thousands of files one after the other
 * and keeps little of each. On 100,000 lines, of 208 MB, the young generation grew to 50 MB, and an old generation that may double before
 * a collection held 20 MB of garbage.
 */
export function limitHeapGrowth(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=20');
}

/** The modules of the commands in the order of the help. Only the module of the command that runs is loaded. */
export const COMMAND_MODULES: readonly CommandModule[] = [
  { names: ['up'], load: async () => [(await import('./commands/up.ts')).upCommand] },
  { names: ['submit'], load: async () => [(await import('./commands/submit.ts')).submitCommand] },
  { names: ['tasks'], load: async () => [(await import('./commands/tasks.ts')).tasksCommand] },
  { names: ['task'], load: async () => [(await import('./commands/task.ts')).taskCommand] },
  { names: ['watch'], load: async () => [(await import('./commands/watch.ts')).watchCommand] },
  { names: ['status'], load: async () => [(await import('./commands/status.ts')).statusCommand] },
  {
    names: ['verification'],
    load: async () => (await import('./commands/verification.ts')).verificationCommands,
  },
  { names: ['top'], load: async () => [(await import('./commands/top.ts')).topCommand] },
  {
    names: ['cancel', 'retry', 'review', 'rejudge'],
    load: async () => (await import('./commands/operator-actions.ts')).operatorActionCommands,
  },
  { names: ['reviews'], load: async () => [(await import('./commands/reviews.ts')).reviewsCommand] },
  {
    names: ['approvals', 'approve', 'deny'],
    load: async () => (await import('./commands/approvals.ts')).approvalCommands,
  },
  { names: ['request'], load: async () => (await import('./commands/requests.ts')).requestCommands },
  { names: ['plan', 'plans'], load: async () => (await import('./commands/plans.ts')).planCommands },
  { names: ['cascade'], load: async () => (await import('./commands/cascade.ts')).cascadeCommands },
  { names: ['providers'], load: async () => (await import('./commands/providers.ts')).providerCommands },
  { names: ['tune'], load: async () => (await import('./commands/tune.ts')).tuneCommands },
  { names: ['dlq'], load: async () => (await import('./commands/dead-letters.ts')).deadLetterCommands },
  { names: ['worker'], load: async () => [(await import('./commands/worker.ts')).workerCommand] },
  { names: ['agents'], load: async () => (await import('./commands/agents.ts')).agentCommands },
  { names: ['init'], load: async () => [(await import('./commands/init.ts')).initCommand] },
  {
    names: ['check'],
    load: async () => {
      limitHeapGrowth();
      return [(await import('./commands/check.ts')).checkCommand];
    },
  },
  {
    names: ['exam'],
    load: async () => {
      limitHeapGrowth();
      return (await import('./commands/exam.ts')).examCommands;
    },
  },
  { names: ['cache'], load: async () => (await import('./commands/cache.ts')).cacheCommands },
  { names: ['gates'], load: async () => [(await import('./commands/gates.ts')).gatesCommand] },
  { names: ['adapters'], load: async () => [(await import('./commands/adapters.ts')).adaptersCommand] },
  { names: ['rules'], load: async () => (await import('./commands/rules.ts')).ruleCommands },
  { names: ['workflow'], load: async () => (await import('./commands/workflow.ts')).workflowCommands },
  { names: ['judge'], load: async () => [(await import('./commands/judge.ts')).judgeCommand] },
  { names: ['login', 'logout'], load: async () => (await import('./commands/login.ts')).loginCommands },
  { names: ['token'], load: async () => (await import('./commands/token.ts')).tokenCommands },
  { names: ['examiner'], load: async () => [(await import('./commands/examiner.ts')).examinerCommand] },
  { names: ['quality'], load: async () => (await import('./commands/quality.ts')).qualityCommands },
  { names: ['query'], load: async () => [(await import('./commands/query.ts')).queryCommand] },
  { names: ['export'], load: async () => [(await import('./commands/export.ts')).exportCommand] },
  { names: ['mcp'], load: async () => [(await import('./commands/mcp.ts')).mcpCommand] },
  { names: ['doctor'], load: async () => [(await import('./commands/doctor.ts')).doctorCommand] },
  { names: ['smoke'], load: async () => [(await import('./commands/smoke.ts')).smokeCommand] },
  {
    names: ['completion'],
    load: async () => [(await import('./commands/completion.ts')).completionCommand],
    needsAll: true,
  },
  { names: ['demo'], load: async () => [(await import('./commands/demo.ts')).demoCommand] },
];
