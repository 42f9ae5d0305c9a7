import type { VERDICTS } from '../outcome.ts';

/** What a node of a workflow is. `work`: somebody does something there; all others steer. */
export const NODE_KINDS = {
  start: { work: false, what: 'where it begins; exactly one' },
  end: { work: false, what: 'where it ends; exactly one' },
  task: { work: true, what: 'a step of the work, or of mending it, or of a person' },
  agent_assignment: { work: false, what: 'who does the tasks that follow, until the next such node' },
  conditional: { work: false, what: 'goes one of two ways, by what the task says of itself' },
  parallel_split: { work: false, what: 'all branches are part of the work' },
  parallel_join: { work: false, what: 'where branches meet' },
  subworkflow: { work: false, what: 'another workflow, whose nodes stand in its place' },
  verification: { work: false, what: 'the work is graded against a rubric by somebody else' },
} as const satisfies Readonly<Record<string, { readonly work: boolean; readonly what: string }>>;
export type NodeKind = keyof typeof NODE_KINDS;
export const NODE_KIND_NAMES = Object.keys(NODE_KINDS) as [NodeKind, ...NodeKind[]];

/** What an edge of a workflow is, and which kind of node alone it may leave; null: any. */
export const EDGE_KINDS = {
  sequential: { from: null, what: 'what comes next' },
  conditional_true: { from: 'conditional', what: 'where the expression is true' },
  conditional_false: { from: 'conditional', what: 'where it is not, or there is none' },
  parallel_branch: { from: 'parallel_split', what: 'one of several ways, all of which are taken' },
  verification_pass: { from: 'verification', what: 'the work is accepted here' },
  verification_fail: { from: 'verification', what: 'the work is done again, with the reasons' },
  verification_refer: { from: 'verification', what: 'a person decides' },
} as const satisfies Readonly<Record<string, { readonly from: NodeKind | null; readonly what: string }>>;
export type EdgeKind = keyof typeof EDGE_KINDS;
export const EDGE_KIND_NAMES = Object.keys(EDGE_KINDS) as [EdgeKind, ...EdgeKind[]];

/** The edge that each verdict takes out of a verification node: exactly one of each leaves it. */
export const EDGE_OF_VERDICT = {
  pass: 'verification_pass',
  fail: 'verification_fail',
  refer: 'verification_refer',
} as const satisfies Readonly<Record<(typeof VERDICTS)[number], EdgeKind>>;
export const VERIFICATION_EDGES = Object.values(EDGE_OF_VERDICT);
