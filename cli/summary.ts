/** What each command is for, in the list of all of them and on its own page. */
export const SUMMARY = {
  up: 'Run the whole stack on this machine: no account, no Docker',
  submit: 'Submit tasks; everything is checked before anything is sent',
  tasks: 'List tasks, oldest first',
  task: 'Show everything about one task: attempts, evidence, verdict, costs, delivery',
  watch: 'Follow tasks until each has ended or needs a person',
  status: 'Count tasks by status and role, and say how much was completed without verification',
  cancel: 'Withdraw a task: nothing of it is delivered',
  retry: 'Give a failed task another round of attempts',
  review: "Give a person's word on a task that was referred to one",
  verify: 'Have the verdict on a held task made again, on the same evidence',
  reviews: 'List what waits for a person: why, since when, and until when',
  plan: 'Have a goal planned: the manager proposes tasks, code checks them, a person decides',
  plans: 'Plans that were proposed',
  work: 'Make this machine a worker: claim external tasks of a role, do them, hand them in',
  agents: 'Roles of agents, and catalogs that they come from',
  check: 'Run signals and gates on a folder as the gates container would; needs no server',
  gates: 'What checks a patch here',
  adapters: 'Which agents can do a task',
  rules: 'What is read in a patch, and how much it counts',
  token: 'Operator tokens of a deployment',
  query: 'Ask the records a question in SQL: on this machine, or Athena',
  export: 'Write the records as Parquet files',
  doctor: 'Look at the place that Assay is deployed to, and say what to do',
  demo: 'Run five tasks through the whole pipeline on this machine, in a temporary folder',
} as const;

export type CommandName = keyof typeof SUMMARY;
