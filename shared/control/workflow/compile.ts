import type { VerificationRubric } from '../../contract/rubric/schema.ts';
import type { VerificationInForce, WorkflowInForce } from '../../contract/workflow/in-force.ts';
import {
  ConditionConfig,
  StepConfig,
  VerificationConfig,
  type Workflow,
  type WorkflowNode,
} from '../../contract/workflow/schema.ts';
import { builtinRubric } from '../../reviews/rubric/builtin.ts';
import { condition } from './condition.ts';
import { expand, type Library, NO_LIBRARY } from './expand.ts';
import { CONDITION_FACTS, type ConditionFacts } from './facts.ts';
import { generatorBefore, USUAL_AGENT } from './generator.ts';
import { type Graph, graphOf, inOrder, reachable, targetOf } from './graph.ts';
import { type Scope, valuesOf } from './inputs.ts';
import { route } from './route.ts';

/** Where a node leads to when all goes well. */
function onwards(graph: Graph, node: WorkflowNode, task: ConditionFacts, scope: Scope | undefined): string[] {
  const targets = (graph.out.get(node.id) ?? []).map(({ target_node_id }) => target_node_id);
  if (node.type === 'verification') return [targetOf(graph, node.id, 'verification_pass') ?? []].flat();
  if (node.type !== 'conditional') return targets;
  const { expression = '' } = ConditionConfig.parse(node.config);
  const facts = valuesOf(scope, task);
  const holds =
    expression !== '' && condition(expression, [...CONDITION_FACTS, ...(scope?.keys() ?? [])])(facts);
  return [targetOf(graph, node.id, holds ? 'conditional_true' : 'conditional_false') ?? []].flat();
}

/** How often work is done again that came to the FAIL edge of a node; null: as the cascade has it, 0: not at all. */
function regenerations(graph: Graph, node: string): number | null {
  const target = targetOf(graph, node, 'verification_fail');
  const kept = new Set(reachable(graph, targetOf(graph, node, 'verification_pass') ?? node));
  const tasks = [...(target === null ? [] : reachable(graph, target))]
    .flatMap((id) => graph.nodes.get(id) ?? [])
    .filter(({ id, type }) => type === 'task' && !kept.has(id));
  const [first] = tasks;
  return first ? (StepConfig.parse(first.config).max_regenerations ?? null) : 0;
}

interface Origin {
  readonly from: WorkflowInForce['from'];
  /** Rubrics of the repository, before those that are built in. */
  readonly rubrics: readonly VerificationRubric[];
  /** Workflows that this one names. */
  readonly library?: Library;
}

/** What a workflow without faults means for one task. */
export function compile(
  workflow: Workflow,
  task: ConditionFacts,
  { from, rubrics, library = NO_LIBRARY }: Origin,
): WorkflowInForce {
  const { workflow: whole, scopes } = expand(workflow, library);
  const graph = graphOf(whole);
  const reached = new Set(whole.nodes.filter(({ type }) => type === 'start').map(({ id }) => id));
  const steps: WorkflowInForce['steps'] = [];
  const verifications: VerificationInForce[] = [];
  for (const id of inOrder(graph)) {
    const node = graph.nodes.get(id);
    if (!node || !reached.has(id)) continue;
    for (const next of onwards(graph, node, task, scopes.get(id))) reached.add(next);
    if (node.type === 'task') {
      const { title, description } = StepConfig.parse(node.config);
      steps.push({ node: id, title, description });
    }
    if (node.type === 'verification') {
      const { rubric_name, evaluator_agent_id, ...config } = VerificationConfig.parse(node.config);
      const rubric = rubrics.find(({ name }) => name === rubric_name) ?? builtinRubric(rubric_name ?? '');
      verifications.push({
        ...config,
        node: id,
        rubric: config.grader === 'evidence' ? null : rubric,
        generator: generatorBefore(graph, id)[0] ?? USUAL_AGENT,
        evaluator: evaluator_agent_id ?? null,
        from_stage: steps.at(-1)?.node ?? 'start',
        max_regenerations: regenerations(graph, id),
        routes: {
          pass: mutable(route(graph, id, 'pass')),
          fail: mutable(route(graph, id, 'fail')),
          refer: mutable(route(graph, id, 'refer')),
        },
      });
    }
  }
  const { name, version, review } = workflow;
  return { name, from, version, steps, verifications, review };
}

const mutable = ({ taken, skipped }: ReturnType<typeof route>) => ({ taken, skipped: [...skipped] });
