import type { Command } from 'commander';
import type { Io } from './io.ts';
import type { CommandName } from './summary.ts';

/** `whole` brings every command in full. */
type Register = (program: Command, io: Io, whole: () => Promise<Command>) => void;

/** The commands in the order in which they are listed, each with what brings it along: only what is called is loaded. */
export const COMMANDS: readonly {
  readonly names: readonly CommandName[];
  readonly load: () => Promise<Register>;
}[] = [
  { names: ['up'], load: async () => (await import('./commands/up.ts')).registerUp },
  { names: ['submit'], load: async () => (await import('./commands/submit.ts')).registerSubmit },
  { names: ['tasks'], load: async () => (await import('./commands/tasks.ts')).registerTasks },
  { names: ['task'], load: async () => (await import('./commands/task.ts')).registerTask },
  { names: ['watch'], load: async () => (await import('./commands/watch.ts')).registerWatch },
  { names: ['status'], load: async () => (await import('./commands/status.ts')).registerStatus },
  {
    names: ['verification'],
    load: async () => (await import('./commands/verification.ts')).registerVerification,
  },
  { names: ['top'], load: async () => (await import('./commands/top.ts')).registerTop },
  {
    names: ['cancel', 'retry', 'review', 'rejudge'],
    load: async () => (await import('./commands/actions.ts')).registerActions,
  },
  { names: ['reviews'], load: async () => (await import('./commands/reviews.ts')).registerReviews },
  {
    names: ['approvals', 'approve', 'deny'],
    load: async () => (await import('./commands/approvals.ts')).registerApprovals,
  },
  { names: ['request'], load: async () => (await import('./commands/request.ts')).registerRequest },
  { names: ['plan', 'plans'], load: async () => (await import('./commands/plan.ts')).registerPlan },
  { names: ['cascade'], load: async () => (await import('./commands/cascade.ts')).registerCascade },
  { names: ['tune'], load: async () => (await import('./commands/tune.ts')).registerTune },
  { names: ['dlq'], load: async () => (await import('./commands/dlq.ts')).registerDlq },
  { names: ['worker'], load: async () => (await import('./commands/worker.ts')).registerWorker },
  { names: ['agents'], load: async () => (await import('./commands/agents.ts')).registerAgents },
  { names: ['init'], load: async () => (await import('./commands/init.ts')).registerInit },
  {
    names: ['check'],
    load: async () => {
      (await import('./small-heap.ts')).keepHeapSmall();
      return (await import('./check.ts')).registerCheck;
    },
  },
  { names: ['gates'], load: async () => (await import('./commands/gates.ts')).registerGates },
  { names: ['adapters'], load: async () => (await import('./commands/adapters.ts')).registerAdapters },
  { names: ['rules'], load: async () => (await import('./commands/rules.ts')).registerRules },
  { names: ['workflow'], load: async () => (await import('./commands/workflow.ts')).registerWorkflow },
  { names: ['judge'], load: async () => (await import('./commands/judge.ts')).registerJudge },
  { names: ['token'], load: async () => (await import('./commands/token.ts')).registerToken },
  { names: ['quality'], load: async () => (await import('./commands/quality.ts')).registerQuality },
  { names: ['query'], load: async () => (await import('./commands/query.ts')).registerQuery },
  { names: ['export'], load: async () => (await import('./commands/export.ts')).registerExport },
  { names: ['mcp'], load: async () => (await import('./commands/mcp.ts')).registerMcp },
  { names: ['doctor'], load: async () => (await import('./commands/doctor.ts')).registerDoctor },
  { names: ['smoke'], load: async () => (await import('./commands/smoke.ts')).registerSmoke },
  {
    names: ['completion'],
    load: async () => (await import('./commands/completion.ts')).registerCompletion,
  },
  { names: ['demo'], load: async () => (await import('./commands/demo.ts')).registerDemo },
];
