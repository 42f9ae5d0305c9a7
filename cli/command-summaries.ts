import { markCloneOnlyCommandSummary } from './installation.ts';

/** What each command does: shown in the list of commands and on the page of the command. */
export const COMMAND_SUMMARIES = {
  up: 'Run the whole stack on this machine: no account, no Docker',
  submit: 'Submit tasks; everything is checked before anything is sent',
  tasks: 'List tasks, oldest first',
  task: 'Show one task: attempts, evidence, verdict, costs, delivery',
  watch: 'Follow tasks until each has ended or needs a decision',
  status: 'Count tasks by status and role, and show the share of unverified completions',
  verification: 'Show or reset the window of completions that the verification alert is about',
  top: 'Watch tasks, queues, cost and unverified completions in this terminal',
  cascade: 'Show what is learned of models, and override the tier that the cascade tries first',
  providers: 'Show which model providers are paused after outages, and end a pause',
  tune: 'List, apply and revert changes of settings that the deployment proposes from its records',
  dlq: 'List, retry, resolve and abandon dead letters: operations that failed permanently',
  cancel: 'Cancel a task: nothing of it is delivered',
  retry: 'Give a failed task another round of attempts',
  review: 'Approve or reject a task that needs review',
  rejudge: 'Make the verdict of a held task again, on the same evidence',
  reviews: 'List the tasks that need review: why, since when, and until when',
  approvals: 'List the open approval requests of agents: action, since when, and until when',
  approve: 'Approve the request of an agent: it continues where it stopped',
  deny: 'Deny the request of an agent: its task is cancelled',
  request: 'Create and approve requests for work: an approved request becomes a task',
  plan: 'Plan a goal: the manager proposes tasks, code checks them, an approver decides',
  plans: 'Show, approve and reject plans',
  worker: 'Run this machine as a worker: claim external tasks of a role and run an agent on each',
  agents: 'Roles of agents, and catalogs of roles',
  init: 'Propose an assay.yaml that fits a repository',
  check: 'Run signals and gates on a folder like the gates container; needs no server',
  exam: 'Acceptance tests that people and their tools write from a task alone: create, validate and run them',
  cache: 'Prepared environments and results that `assay check` keeps: list and remove them',
  gates: 'Gates that check a patch in this folder',
  adapters: 'Agent CLIs that can do a task',
  rules: 'Rules that read a patch, and their levels',
  workflow: 'Workflows of tasks: list, check and draw them',
  judge: 'Measure how reliable a judge model is',
  login: 'Sign in at the identity provider of a deployment',
  logout: 'Remove the sign-in at a deployment from this machine',
  token: 'Operator tokens of a deployment',
  examiner: 'Precision, coverage and cost of examiners and challengers, by repository and model',
  quality: 'Success, cost and findings of tasks, models and gates',
  query: 'Query the records in SQL: on this machine, or with Athena',
  export: 'Write the records as Parquet files',
  mcp: 'Serve assistants by the Model Context Protocol: read tasks, check a folder',
  doctor: 'Check this machine or an AWS account, and say how to correct what is missing',
  smoke: 'Run one task of a built-in repository through a deployment, and time each step',
  completion: 'Print the completion script for a shell',
  demo: 'Run seven tasks through the whole pipeline on this machine, in a temporary folder',
} as const;

export type CommandName = keyof typeof COMMAND_SUMMARIES;

/** Returns the summary of a command. @throws Error for a name that the table does not have */
export function getCommandSummary(name: string): string {
  if (!Object.hasOwn(COMMAND_SUMMARIES, name)) throw new Error(`the command ${name} has no summary`);
  const summary = COMMAND_SUMMARIES[name as CommandName];
  return name === 'up' || name === 'demo' ? markCloneOnlyCommandSummary(summary) : summary;
}
