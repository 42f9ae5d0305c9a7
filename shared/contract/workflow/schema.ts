import * as z from 'zod';
import { ReviewSettings } from '../review/review-settings.ts';
import { CRITERIA_DECOMPOSER_NAMES, GRADER_NAMES, MAX_PROBES_PER_CRITERION } from '../rubric/rubric-kinds.ts';
import { WorkflowName } from '../submission/workflow-name.ts';
import { EDGE_KIND_NAMES, NODE_KIND_NAMES } from './kinds.ts';

const Id = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, 'must be 1 to 64 letters, digits, "_" or "-"');
const Label = z.string().trim().min(1, 'must not be blank').max(200);

/** Most nodes and edges of one workflow: what a person can still read. */
export const MAX_WORKFLOW_NODES = 100;
export const MAX_WORKFLOW_EDGES = 300;

/** Settings of a node. What must be there, and for which kind, is said by check.ts: it names every fault, with its code. */
export const WorkflowNodeConfig = z.record(z.string(), z.unknown());

export const WorkflowNode = z.strictObject({
  id: Id,
  type: z.enum(NODE_KIND_NAMES),
  label: Label.optional().describe('Absent: the id.'),
  config: WorkflowNodeConfig.default({}),
});
export type WorkflowNode = z.infer<typeof WorkflowNode>;

export const WorkflowEdge = z.strictObject({
  id: Id,
  source_node_id: Id,
  target_node_id: Id,
  type: z.enum(EDGE_KIND_NAMES).default('sequential'),
  label: Label.optional(),
});
export type WorkflowEdge = z.infer<typeof WorkflowEdge>;

export const WORKFLOW_INPUT_TYPES = ['string', 'integer', 'float', 'boolean'] as const;
export type WorkflowInputType = (typeof WORKFLOW_INPUT_TYPES)[number];
const InputValue = z.union([z.string().max(500), z.number(), z.boolean()]);

/** What a workflow that others name is told by them; conditions know it by its name. */
export const WorkflowInput = z.strictObject({
  name: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/, 'must be 1 to 64 of a-z, 0-9 and "_", a letter first'),
  type: z.enum(WORKFLOW_INPUT_TYPES),
  required: z.boolean().default(true),
  default: InputValue.optional(),
  description: z.string().trim().max(1_000).default(''),
});
export type WorkflowInput = z.infer<typeof WorkflowInput>;

/** A blueprint: what happens with one task, from its first step to its end. */
export const Workflow = z.strictObject({
  name: WorkflowName,
  description: z.string().trim().max(1_000).default(''),
  version: z
    .string()
    .regex(/^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$/, 'must be MAJOR.MINOR.PATCH')
    .default('1.0.0'),
  inputs: z.array(WorkflowInput).max(20).default([]),
  nodes: z.array(WorkflowNode).min(1).max(MAX_WORKFLOW_NODES),
  edges: z.array(WorkflowEdge).max(MAX_WORKFLOW_EDGES),
  review: ReviewSettings.prefault({}),
});
export type Workflow = z.infer<typeof Workflow>;

/** What a verification node says. Strict: a name that nobody reads is refused. */
export const VerificationNodeConfig = z.strictObject({
  rubric_name: z.string().trim().min(1).max(64).optional(),
  evaluator_agent_id: z.string().trim().min(1).max(64).optional(),
  decomposer: z.enum(CRITERIA_DECOMPOSER_NAMES).default('identity'),
  grader: z.enum(GRADER_NAMES).default('heuristic'),
  max_probes_per_criterion: z.number().int().min(1).max(20).default(MAX_PROBES_PER_CRITERION),
  min_confidence_override: z.number().min(0).max(1).nullable().default(null),
});
export type VerificationNodeConfig = z.infer<typeof VerificationNodeConfig>;

/** What a step says. */
export const TaskNodeConfig = z.strictObject({
  title: z.string().trim().min(1).max(500),
  description: z.string().trim().max(4_000).default(''),
  max_regenerations: z
    .number()
    .int()
    .min(0)
    .max(2)
    .optional()
    .describe('For a `verification_fail` edge: how often rejected work is repeated.'),
});
export const AgentAssignmentNodeConfig = z.strictObject({ agent_name: z.string().trim().min(1).max(64) });
export const ConditionalNodeConfig = z.strictObject({ expression: z.string().trim().max(500).optional() });
/** Which workflow stands in the place of a node, and what it is told: values, or `@parent.NAME`. */
export const SubworkflowNodeConfig = z.strictObject({
  subworkflow_id: WorkflowName,
  version: z.string().trim().min(1).max(64),
  input_bindings: z.record(z.string(), InputValue).default({}),
  output_bindings: z.record(z.string(), z.unknown()).default({}),
});
