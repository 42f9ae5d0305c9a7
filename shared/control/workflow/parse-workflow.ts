import { Workflow } from '../../contract/workflow/schema.ts';
import { type FileProblem, type LineLookup, parseYaml } from '../../lib/yaml.ts';
import { MAX_ASSAY_FILE_BYTES } from '../../reviews/rubric/read-rubric.ts';
import { type AvailableRubricNames, findWorkflowFaults } from './check-workflow.ts';
import {
  EMPTY_WORKFLOW_LIBRARY,
  isNestedId,
  outermostNodeId,
  type WorkflowLibrary,
} from './expand-subworkflows.ts';
import type { WorkflowFault } from './workflow-fault.ts';

/** Where a repository keeps workflows of its own. */
export const WORKFLOW_FOLDER = '.assay/workflows';
export const workflowPath = (name: string): string => `${WORKFLOW_FOLDER}/${name}.yaml`;

/** A fault with its place in the file; `code` is `syntax` where the file cannot be read as a workflow at all. */
export interface WorkflowProblem extends FileProblem {
  readonly code: string;
  readonly node_id?: string;
  readonly edge_id?: string;
}

function lineOfFault({ nodes, edges }: Workflow, fault: WorkflowFault, lineOf: LineLookup): number | null {
  // What is within another node has the place of that.
  const { node_id, edge_id } = fault;
  const edge = isNestedId(edge_id) ? -1 : edges.findLastIndex(({ id }) => id === edge_id);
  const within = isNestedId(edge_id) ? edge_id : node_id;
  const node = nodes.findLastIndex(({ id }) => id === outermostNodeId(within ?? ''));
  if (edge >= 0) return lineOf(['edges', edge]);
  return node >= 0 ? lineOf(['nodes', node]) : null;
}

/** A workflow from its file, with all that is wrong with it, in a fixed order. `workflow` is null only where the file cannot be read as one. */
export function parseWorkflow(
  text: string,
  file: string,
  known: AvailableRubricNames,
  library: WorkflowLibrary = EMPTY_WORKFLOW_LIBRARY,
): { readonly workflow: Workflow | null; readonly problems: readonly WorkflowProblem[] } {
  const syntax = (problems: readonly FileProblem[]) => ({
    workflow: null,
    problems: problems.map((each) => ({ ...each, code: 'syntax' })),
  });
  if (Buffer.byteLength(text) > MAX_ASSAY_FILE_BYTES)
    return syntax([{ file, line: null, message: `has more than ${MAX_ASSAY_FILE_BYTES} bytes` }]);
  const parsed = parseYaml(text, file, Workflow);
  if ('problems' in parsed) return syntax(parsed.problems);
  const { value: workflow, lineOf } = parsed;
  const problems = findWorkflowFaults(workflow, known, library).map((fault) => ({
    ...fault,
    file,
    line: lineOfFault(workflow, fault, lineOf),
  }));
  return { workflow, problems };
}
