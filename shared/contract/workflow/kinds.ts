import type { VERDICTS } from '../check-outcome.ts';

/** What a node of a workflow is. `work`: somebody does something there; all others steer. */
export const NODE_KINDS = {
  start: { hasWork: false, description: 'where it begins; exactly one' },
  end: { hasWork: false, description: 'where it ends; exactly one' },
  task: { hasWork: true, description: 'a step of the work, or of mending it, or of a person' },
  agent_assignment: {
    hasWork: false,
    description: 'who does the tasks that follow, until the next such node',
  },
  conditional: { hasWork: false, description: 'goes one of two ways, by what the task says of itself' },
  parallel_split: { hasWork: false, description: 'all branches are part of the work' },
  parallel_join: { hasWork: false, description: 'where branches meet' },
  subworkflow: { hasWork: false, description: 'another workflow, whose nodes stand in its place' },
  verification: { hasWork: false, description: 'the work is graded against a rubric by somebody else' },
} as const satisfies Readonly<Record<string, { readonly hasWork: boolean; readonly description: string }>>;
export type NodeKind = keyof typeof NODE_KINDS;
export const NODE_KIND_NAMES = Object.keys(NODE_KINDS) as [NodeKind, ...NodeKind[]];

/** What an edge of a workflow is, and which kind of node alone it may leave; null: any. */
export const EDGE_KINDS = {
  sequential: { from: null, description: 'what comes next' },
  conditional_true: { from: 'conditional', description: 'where the expression is true' },
  conditional_false: { from: 'conditional', description: 'where it is not, or there is none' },
  parallel_branch: { from: 'parallel_split', description: 'one of several ways, all of which are taken' },
  verification_pass: { from: 'verification', description: 'the work is accepted here' },
  verification_fail: { from: 'verification', description: 'the work is done again, with the reasons' },
  verification_refer: { from: 'verification', description: 'a person decides' },
} as const satisfies Readonly<
  Record<string, { readonly from: NodeKind | null; readonly description: string }>
>;
export type EdgeKind = keyof typeof EDGE_KINDS;
export const EDGE_KIND_NAMES = Object.keys(EDGE_KINDS) as [EdgeKind, ...EdgeKind[]];

/** The edge that each verdict takes out of a verification node: exactly one of each leaves it. */
export const EDGE_KIND_OF_VERDICT = {
  pass: 'verification_pass',
  fail: 'verification_fail',
  refer: 'verification_refer',
} as const satisfies Readonly<Record<(typeof VERDICTS)[number], EdgeKind>>;
export const VERIFICATION_EDGE_KINDS = Object.values(EDGE_KIND_OF_VERDICT);
