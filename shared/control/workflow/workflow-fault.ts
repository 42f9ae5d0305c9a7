/** Something that is wrong with a workflow, and where. */
export interface WorkflowFault {
  /** Of the seed, or one of ours. */
  readonly code: string;
  readonly message: string;
  readonly node_id?: string;
  readonly edge_id?: string;
}
