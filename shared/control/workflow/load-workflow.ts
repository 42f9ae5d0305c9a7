import type { VerificationRubric } from '../../contract/rubric/verification-rubric.ts';
import type { Workflow } from '../../contract/workflow/schema.ts';
import { BUILTIN_RUBRICS } from '../../reviews/rubric/builtin-rubrics.ts';
import { buildRubricFilePath, readRubric } from '../../reviews/rubric/read-rubric.ts';
import { findBuiltinWorkflow } from './builtin-workflows.ts';
import { EMPTY_WORKFLOW_LIBRARY, isNestedId, type WorkflowLibrary } from './expand-subworkflows.ts';
import { parseWorkflow, type WorkflowProblem, workflowPath } from './parse-workflow.ts';

/** Reads files by their path in a repository; null for what is no file there. */
export type RepositoryFileReader = (paths: readonly string[]) => Promise<ReadonlyMap<string, string | null>>;

/** Most workflows that one may stand on. */
const MAX_LIBRARY = 20;
const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** A file of the repository as it was read. */
export interface WorkflowSource {
  readonly path: string;
  readonly text: string;
}

const referencedNames = (
  { nodes }: Workflow,
  type: Workflow['nodes'][number]['type'],
  setting: string,
): string[] => [
  ...new Set(
    nodes.flatMap((node) => {
      const name = node.type === type ? node.config[setting] : undefined;
      return typeof name === 'string' && NAME.test(name.trim()) ? [name.trim()] : [];
    }),
  ),
];

/** A rubric of the repository; its file has its name, or two could be meant. */
function parseRepositoryRubric(text: string, file: string): ReturnType<typeof readRubric> {
  const read = readRubric(text, file);
  return 'problems' in read || buildRubricFilePath(read.rubric.name) === file
    ? read
    : { problems: [{ file, line: null, message: `its name is ${read.rubric.name}` }] };
}

export interface LoadedWorkflow {
  /** Null: the file cannot be read as one. */
  readonly workflow: Workflow | null;
  readonly library: WorkflowLibrary;
  /** Of the repository. */
  readonly rubrics: readonly VerificationRubric[];
  /** Of all files that it takes, in a fixed order; a rubric's have the code `rubric`. */
  readonly problems: readonly WorkflowProblem[];
}

interface LoadedSubworkflows {
  readonly library: Map<string, Workflow>;
  readonly sources: WorkflowSource[];
  readonly problems: WorkflowProblem[];
}

/** Workflows that one names, and those that they name, level by level. */
async function loadSubworkflows(first: Workflow, read: RepositoryFileReader): Promise<LoadedSubworkflows> {
  const found: LoadedSubworkflows = { library: new Map(), sources: [], problems: [] };
  const asked = new Set<string>();
  let level = [first];
  while (level.length > 0) {
    const wanted = level
      .flatMap((each) => referencedNames(each, 'subworkflow', 'subworkflow_id'))
      .filter((name, index, all) => all.indexOf(name) === index && !asked.has(name))
      .slice(0, MAX_LIBRARY - asked.size);
    if (wanted.length === 0) break;
    const texts = await read(wanted.map(workflowPath));
    level = wanted.flatMap((name) => {
      asked.add(name);
      const path = workflowPath(name);
      const text = texts.get(path) ?? null;
      const workflow = text === null ? findBuiltinWorkflow(name) : parseWorkflow(text, path, []).workflow;
      if (text !== null) found.sources.push({ path, text });
      if (!workflow) return [];
      if (workflow.name !== name)
        found.problems.push({
          file: path,
          line: null,
          code: 'name',
          message: `its name is ${workflow.name}`,
        });
      else found.library.set(name, workflow);
      return [workflow];
    });
  }
  return found;
}

const isOutermostProblem = ({ node_id, edge_id }: WorkflowProblem): boolean =>
  !isNestedId(node_id) && !isNestedId(edge_id);

/**
 * A workflow with all that it stands on: the workflows and rubrics that it names, of the repository before those that are built in. All that
 * is wrong with any of the files is told, of its own file; what is wrong only where they meet, when nothing else is.
 */
export async function loadWorkflow(
  source: WorkflowSource | Workflow,
  read: RepositoryFileReader,
): Promise<LoadedWorkflow> {
  const isFile = 'text' in source;
  const drafted = isFile ? parseWorkflow(source.text, source.path, []).workflow : source;
  const { library, sources, problems } = drafted
    ? await loadSubworkflows(drafted, read)
    : { library: EMPTY_WORKFLOW_LIBRARY, sources: [], problems: [] };
  const named = [...(drafted ? [drafted] : []), ...library.values()].flatMap((each) =>
    referencedNames(each, 'verification', 'rubric_name'),
  );
  const files =
    named.length === 0
      ? new Map<string, string | null>()
      : await read([...new Set(named)].map(buildRubricFilePath));
  const rubrics = [...files].flatMap(([file, text]) =>
    text === null ? [] : [parseRepositoryRubric(text, file)],
  );
  const own = rubrics.flatMap((each) => ('rubric' in each ? [each.rubric] : []));
  // One whose file is there and wrong is not missing as well.
  const there = named.filter((name) => typeof files.get(buildRubricFilePath(name)) === 'string');
  const known = [...new Set([...there, ...BUILTIN_RUBRICS.map(({ name }) => name)])];
  const judged = ({ text, path }: WorkflowSource) => parseWorkflow(text, path, known, library);
  const main = isFile ? judged(source) : { workflow: source, problems: [] };
  const others = sources.filter(({ path }) => !isFile || path !== source.path);
  const inFiles = [...others.map((each) => judged(each).problems), main.problems];
  const alone = [
    ...rubrics.flatMap((each) =>
      'problems' in each ? each.problems.map((fault) => ({ ...fault, code: 'rubric' })) : [],
    ),
    ...problems,
    ...inFiles.flatMap((each) => each.filter(isOutermostProblem)),
  ];
  const together = inFiles.find((each) => each.length > 0) ?? [];
  return { workflow: main.workflow, library, rubrics: own, problems: alone.length > 0 ? alone : together };
}
