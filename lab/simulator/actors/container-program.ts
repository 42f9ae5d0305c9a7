import {
  type ChallengerAssignment,
  type GatesAssignment,
  LaunchAssignment,
} from '../../../shared/contract/messages/assignment.ts';
import type { SimulatedContainer } from '../engines/simulated-fargate.ts';
import { OracleKnowledge, type TreeOutcome } from '../oracle/knowledge.ts';
import { type SimulatedPatch, WEAK_BASE } from '../simulated-remote.ts';
import type { Simulation } from '../simulation.ts';
import type { ExamResult, WorkPlan } from '../simulation-plan.ts';
import { performJob } from './agent.ts';
import { ApiRefusedError, callRoute, fetchPresigned } from './api-client.ts';
import { rebuildSimulatedTree } from './rebuild-tree.ts';

/** The programs of the boxes, as the API and the bucket see them: the same calls in the same order as containers/. */
export async function runContainerProgram(box: SimulatedContainer, of: Simulation): Promise<void> {
  const answer = await fetchPresigned(of, 'GET', box.assignmentUrl);
  if (answer.status !== 200) throw new Error(`the assignment: ${answer.body}`);
  const assignment = LaunchAssignment.parse(JSON.parse(answer.body));
  const forgotten = await fetchPresigned(of, 'DELETE', assignment.delete_url);
  if (forgotten.status >= 300) throw new Error(`the assignment cannot be removed: HTTP ${forgotten.status}`);
  if (assignment.kind === 'gates') return gates(of, assignment);
  if (assignment.kind === 'challenger') return challenge(of, assignment);
  if (assignment.kind === 'deliver') throw new Error('what delivers is no box');
  const { task_id: task, attempt, token } = assignment;
  const scripted = scriptedWork(of, task, attempt);
  of.knowledge.agentTokens.set(task, [...(of.knowledge.agentTokens.get(task) ?? []), token]);
  if (!scripted) return;
  const base = assignment.base_commit;
  await performJob(
    of,
    { task, attempt, token, base, heartbeatSeconds: assignment.heartbeat_s },
    scripted,
  ).catch((error: unknown) => {
    // As the real box: a refusal means that the attempt is over, and nobody waits for this box.
    if (!(error instanceof ApiRefusedError) || error.answer.status !== 409) throw error;
  });
}

/** The work that is planned for an attempt. */
function scriptedWork(of: Simulation, task: string, attempt: number): WorkPlan | undefined {
  const works = of.knowledge.planOf(task)?.attempts ?? [];
  return works[Math.min(attempt, works.length) - 1];
}

/** What gates and acceptance tests find together: a lost exam is never a pass. */
function withExam(found: TreeOutcome, exam: ExamResult): TreeOutcome {
  if (found === 'failed' || exam === 'not_met') return 'failed';
  if (found === 'unclear' || exam === 'missing') return 'unclear';
  return exam === 'met' ? 'passed' : found;
}

const EXAM_OUTCOMES = { met: 'passed', not_met: 'failed', missing: 'could_not_run' } as const;

/** The entry of acceptance tests, as the gates container builds it. */
function examEntry(exam: ExamResult): object[] {
  if (exam === 'none') return [];
  const not_met = exam === 'not_met' ? ['it adds'] : [];
  const tested = exam === 'missing' ? 0 : 1;
  return [
    {
      name: 'acceptance_tests',
      outcome: EXAM_OUTCOMES[exam],
      kind: 'executed',
      required: true,
      blocked: exam === 'not_met',
      cached: false,
      findings: [],
      detail: `the exam: ${exam}`,
      duration_ms: 5,
      facts: { shows_change: exam !== 'missing' },
      independent: {
        mode: 'gate',
        points: [],
        counterexamples: [],
        open: [],
        questions: [],
        requirements: { total: tested, tested, met: tested - not_met.length, not_met },
      },
    },
  ];
}

const FOUND = {
  good: 'passed',
  bad: 'failed',
  unclear: 'unclear',
  unchecked: 'unchecked',
  empty: 'failed',
} as const satisfies Record<SimulatedPatch['quality'], TreeOutcome>;

async function gates(of: Simulation, assignment: GatesAssignment): Promise<void> {
  const { task_id: id, token, base_commit, tree } = assignment;
  const rebuilt = await rebuildSimulatedTree(of, assignment);
  await of.world.clock.sleep(8_000);
  if ('problem' in rebuilt) {
    await callRoute(of, 'evidence', {
      id,
      token,
      body: { failure_code: 'patch_does_not_apply', message: rebuilt.problem },
    });
    return;
  }
  const { quality } = rebuilt.patch;
  const byGates: TreeOutcome = base_commit === WEAK_BASE ? 'passed' : FOUND[quality];
  const { exam = 'none', examSeconds = 0 } = scriptedWork(of, id, assignment.attempt) ?? {};
  if (exam !== 'none') await of.world.clock.sleep(examSeconds * 1_000);
  const found = withExam(byGates, exam);
  of.knowledge.treeOutcomes.set(OracleKnowledge.pair(base_commit, tree), found);
  of.world.logEvent(() => `gates of ${id}/${assignment.attempt}: ${found} (${quality})`);
  const outcome = { passed: 'passed', failed: 'failed', unclear: 'could_not_run', unchecked: 'skipped' }[
    byGates
  ];
  const gate = {
    name: 'tests',
    outcome,
    kind: 'executed',
    required: true,
    blocked: false,
    cached: false,
    findings: [],
    detail: `the tests: ${outcome}`,
    duration_ms: 5,
  };
  await callRoute(of, 'evidence', {
    id,
    token,
    body: {
      evidence: {
        schema_version: 1,
        base_commit,
        tree,
        empty_patch: quality === 'empty',
        changed_files: quality === 'empty' ? [] : ['a'],
        signals: [],
        gates: [...examEntry(exam), ...(byGates === 'unchecked' ? [] : [gate])],
        gathered_at: new Date().toISOString(),
        duration_ms: 9,
      },
    },
  });
}

/** A challenger ends as planned, or is lost. What it reports is known outside of the control plane before it is sent. */
async function challenge(of: Simulation, assignment: ChallengerAssignment): Promise<void> {
  const { task_id: id, attempt, token, base_commit, tree, mode } = assignment;
  const name = `${id}/${attempt}`;
  const ends = scriptedWork(of, id, attempt)?.challengers ?? [];
  const turn = of.knowledge.challengers.get(name) ?? 0;
  of.knowledge.challengers.set(name, turn + 1);
  const end = ends[Math.min(turn, ends.length - 1)] ?? 'nothing';
  await of.world.clock.sleep(8_000);
  of.world.logEvent(() => `challenger of ${name}: ${end}`);
  if (end === 'lost') throw new Error('the challenger is gone');
  const isWrong = end === 'counterexample';
  if (isWrong && mode === 'gate')
    of.knowledge.treeOutcomes.set(OracleKnowledge.pair(base_commit, tree), 'failed');
  of.knowledge.challenges.set(name, end === 'nothing');
  const outcome = { nothing: 'nothing_found', counterexample: 'counterexample', no_answer: 'no_answer' }[end];
  const entry = {
    name: 'challenge',
    outcome: { nothing: 'skipped', counterexample: 'failed', no_answer: 'could_not_run' }[end],
    kind: isWrong ? 'executed' : 'judged',
    required: mode === 'gate',
    blocked: mode === 'gate' && isWrong,
    cached: false,
    findings: [],
    detail: `the challenge: ${outcome}`,
    duration_ms: 5,
    independent: {
      mode,
      points: [],
      counterexamples: [],
      open: [],
      questions: [],
      requirements: { total: 0, tested: 0, met: 0, not_met: [] },
      challenge: { outcome, p_wrong: end === 'no_answer' ? null : Number(isWrong), requirements: [] },
    },
  };
  await callRoute(of, 'challenge', { id, token, body: { entry } });
}
