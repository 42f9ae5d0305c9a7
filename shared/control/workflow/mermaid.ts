import type { Workflow, WorkflowNode } from '../../contract/workflow/schema.ts';

const SHAPES: Readonly<Partial<Record<WorkflowNode['type'], readonly [string, string]>>> = {
  start: ['([', '])'],
  end: ['([', '])'],
  conditional: ['{', '}'],
  verification: ['{{', '}}'],
  agent_assignment: ['[/', '/]'],
  subworkflow: ['[[', ']]'],
};
const BOX = ['[', ']'] as const;

/** Text as Mermaid takes it between quotes: what has a meaning there is written as its number. */
const quoted = (text: string): string =>
  `"${text.replace(/["#;<>&`\\]|[^\P{Cc}]/gu, (each) => `#${each.codePointAt(0)};`)}"`;

const words = ({ id, type, label, config }: WorkflowNode): string => {
  const named =
    config['title'] ??
    config['agent_name'] ??
    config['rubric_name'] ??
    config['subworkflow_id'] ??
    config['expression'];
  return [
    label ?? id,
    ...(typeof named === 'string'
      ? [named]
      : type === 'verification'
        ? [String(config['grader'] ?? '')]
        : []),
  ]
    .filter((part) => part !== '')
    .join(': ');
};

const ARROW_WORDS: Readonly<Record<string, string>> = { sequential: '' };

/** A workflow as a diagram. Ids are ours to give: those of the file may be words of Mermaid. */
export function renderWorkflowMermaid({ nodes, edges }: Pick<Workflow, 'nodes' | 'edges'>): string {
  const names = new Map(nodes.map(({ id }, index) => [id, `n${index}`]));
  const lines = nodes.map((node) => {
    const [open, close] = SHAPES[node.type] ?? BOX;
    return `  ${names.get(node.id)}${open}${quoted(words(node))}${close}`;
  });
  const arrows = edges.map(({ source_node_id: from, target_node_id: to, type, label }) => {
    const word = label ?? ARROW_WORDS[type] ?? type.replaceAll('_', ' ').toUpperCase();
    return `  ${names.get(from)} -->${word === '' ? '' : `|${quoted(word)}|`} ${names.get(to)}`;
  });
  return ['flowchart TD', ...lines, ...arrows].join('\n');
}
