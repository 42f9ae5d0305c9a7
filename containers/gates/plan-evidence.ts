import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gatherEvidence } from '../../gates/pipeline/gather-evidence.ts';
import type { Evidence, GateEvidence } from '../../shared/contract/evidence/schema.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { type CheckedPlan, MAX_PLAN_BYTES, PLAN_FILE, Plan } from '../../shared/contract/plan/schema.ts';
import { findRegexErrors } from '../../shared/contract/submission/regex.ts';
import {
  findPlanShapeProblems,
  findPlanSignalProblems,
  type PlanProblem,
} from '../../shared/control/planning/check-plan.ts';
import { BUILTIN_ROLE_NAMES } from '../../shared/control/roles/builtin-role.ts';
import { REPOSITORY_ROLES_FOLDER } from '../../shared/control/roles/role.ts';
import { type FileProblem, parseYaml } from '../../shared/lib/yaml.ts';
import { type GitStore, runGitInStoreOrThrow } from '../../workspace/git/git-store.ts';
import { listFolder, readFileOfTree } from '../../workspace/git/tree-folder.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';

/** The file may have comments and blanks that the plan itself has not. */
const MAX_FILE_BYTES = 4 * MAX_PLAN_BYTES;
/** Gates judge code, and a plan is none; what a signal says of the base is all that is asked. */
const NO_GATES = { file: 'assay.yaml', text: 'quality_gates:\n  enabled: false\n' };

interface CheckedPlanFile {
  readonly problems: readonly FileProblem[];
  readonly plan: CheckedPlan | null;
}

const problem = (message: string, line: number | null = null): FileProblem => ({
  file: PLAN_FILE,
  line,
  message,
});
const placed = ({ path, message }: PlanProblem): FileProblem =>
  problem(`${path.join('.')}${path.length > 0 ? ': ' : ''}${message}`);

/** Evidence on a plan: code alone says whether it holds, on the commit that it is for. */
export async function gatherPlanEvidence(
  store: GitStore,
  assignment: GatesAssignment,
  box: ContainerWorkContext,
  changed: readonly string[],
): Promise<Evidence> {
  const started = performance.now();
  const { problems, plan } = await checkPlanFile(store, assignment, box, changed);
  const gate: GateEvidence = {
    name: 'plan',
    outcome: problems.length === 0 ? 'passed' : 'failed',
    kind: 'checked',
    required: true,
    blocked: problems.length > 0,
    cached: false,
    findings: problems.map(({ file, line, message }) => ({ file, line, rule: 'plan', message })),
    detail: problems
      .map(({ line, message }) => `${line === null ? '' : `line ${line}: `}${message}`)
      .join('\n')
      .slice(0, 4_000),
    duration_ms: Math.round(performance.now() - started),
    facts: { tasks: plan?.tasks.length ?? 0, notes: plan?.notes.length ?? 0 },
  };
  return {
    schema_version: 1,
    base_commit: assignment.base_commit,
    tree: assignment.tree,
    empty_patch: changed.length === 0,
    changed_files: [...changed],
    signals: [],
    gates: [gate],
    expected_changes: [],
    protected_files: [],
    ...(plan === null ? {} : { plan }),
    gathered_at: new Date().toISOString(),
    duration_ms: gate.duration_ms,
  };
}

async function checkPlanFile(
  store: GitStore,
  assignment: GatesAssignment,
  box: ContainerWorkContext,
  changed: readonly string[],
): Promise<CheckedPlanFile> {
  const bad = (problems: readonly FileProblem[]): CheckedPlanFile => ({ problems, plan: null });
  const others = changed.filter((path) => path !== PLAN_FILE);
  if (others.length > 0)
    return bad([
      problem(`a plan changes nothing but itself; this one changes ${others.slice(0, 5).join(', ')}`),
    ]);
  const found = await readFileOfTree(store, assignment.tree, PLAN_FILE, MAX_FILE_BYTES).catch(
    () => 'large' as const,
  );
  if (found === 'large') return bad([problem(`has more than ${MAX_FILE_BYTES} bytes`)]);
  if (!found?.regular) return bad([problem('is missing, or no plain file')]);
  const parsed = parseYaml(found.content.toString('utf8'), PLAN_FILE, Plan);
  if ('problems' in parsed) return bad(parsed.problems);
  const plan = parsed.value;
  const base = assignment.base_commit;
  const paths = await existing(store, base, plan);
  const roles = (await listFolder(store, base, REPOSITORY_ROLES_FOLDER))
    .filter(({ mode }) => mode === '40000')
    .map(({ path }) => path.slice(REPOSITORY_ROLES_FOLDER.length + 1));
  const shape = [
    ...findPlanShapeProblems(plan, {
      pathExists: (path) => paths.has(plain(path)),
      roles: [...new Set([...BUILTIN_ROLE_NAMES, ...roles])],
      maxTasks: assignment.plan?.max_tasks ?? 0,
    }).map(placed),
    ...findRegexErrors(
      plan.tasks.map(({ completion_signals: signals }, index) => ({ at: `/tasks/${index}`, signals })),
    ).map(({ pointer, message }) => problem(`${pointer.slice(1).replaceAll('/', '.')}: ${message}`)),
  ];
  // What is known to be wrong is said before a command of the plan runs.
  if (shape.length > 0) return bad(shape);
  const { problems, notes } = findPlanSignalProblems(plan, await onTheBase(store, base, plan, box));
  return problems.length > 0
    ? bad(problems.map(placed))
    : { problems: [], plan: { tasks: plan.tasks, notes } };
}

const plain = (path: string): string => path.replace(/^\.\/|\/+$/g, '');

/** Which of the paths that the plan names are in the base. */
async function existing(store: GitStore, base: string, plan: Plan): Promise<ReadonlySet<string>> {
  const named = new Set(
    plan.tasks.flatMap(({ files, new_files: creates }) => [...files, ...creates]).map(plain),
  );
  const there = new Set<string>();
  for (const path of named) {
    const folder = path.slice(0, Math.max(0, path.lastIndexOf('/')));
    if ((await listFolder(store, base, folder)).some((entry) => entry.path === path)) there.add(path);
  }
  return there;
}

/** Runs all signals of a plan on the base as it stands; answers the outcomes task by task. */
async function onTheBase(
  store: GitStore,
  base: string,
  plan: Plan,
  box: ContainerWorkContext,
): Promise<Evidence['signals'][number]['outcome'][][]> {
  const tree = (await runGitInStoreOrThrow(store, ['rev-parse', `${base}^{tree}`])).toString('utf8').trim();
  const workDir = join(box.workDir, 'plan');
  await mkdir(workDir, { mode: 0o711 });
  const { signals } = await gatherEvidence({
    store,
    base,
    tree,
    signals: plan.tasks.flatMap(({ completion_signals }) => completion_signals),
    workDir,
    sandboxUsers: box.users,
    abort: box.abort,
    configOverride: NO_GATES,
    useCache: false,
  });
  const outcomes = signals.map(({ outcome }) => outcome);
  return plan.tasks.map(({ completion_signals }) => outcomes.splice(0, completion_signals.length));
}
