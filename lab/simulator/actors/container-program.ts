import {
  type ChallengerAssignment,
  type GatesAssignment,
  LaunchAssignment,
} from '../../../shared/contract/messages/assignment.ts';
import type { SimulatedContainer } from '../engines/simulated-fargate.ts';
import { OracleKnowledge, type TreeOutcome } from '../oracle/knowledge.ts';
import { type SimulatedPatch, WEAK_BASE } from '../simulated-remote.ts';
import type { Simulation } from '../simulation.ts';
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
  const plan = of.knowledge.planOf(task);
  const works = plan?.attempts ?? [];
  const scripted = works[Math.min(attempt, works.length) - 1];
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
  const found: TreeOutcome = base_commit === WEAK_BASE ? 'passed' : FOUND[quality];
  of.knowledge.treeOutcomes.set(OracleKnowledge.pair(base_commit, tree), found);
  of.world.logEvent(() => `gates of ${id}/${assignment.attempt}: ${found} (${quality})`);
  const outcome = { passed: 'passed', failed: 'failed', unclear: 'could_not_run', unchecked: 'skipped' }[
    found
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
        gates: found === 'unchecked' ? [] : [gate],
        gathered_at: new Date().toISOString(),
        duration_ms: 9,
      },
    },
  });
}

/** A challenger finds a counterexample to work that is wrong, and nothing in other work. */
async function challenge(of: Simulation, assignment: ChallengerAssignment): Promise<void> {
  const { task_id: id, token, base_commit, tree, mode } = assignment;
  await of.world.clock.sleep(8_000);
  const found = of.knowledge.treeOutcomes.get(OracleKnowledge.pair(base_commit, tree));
  const isWrong = found === 'failed';
  of.world.logEvent(
    () => `challenger of ${id}/${assignment.attempt}: ${isWrong ? 'counterexample' : 'nothing found'}`,
  );
  const entry = {
    name: 'challenge',
    outcome: isWrong ? 'failed' : 'skipped',
    kind: isWrong ? 'executed' : 'judged',
    required: mode === 'gate',
    blocked: mode === 'gate' && isWrong,
    cached: false,
    findings: [],
    detail: isWrong ? '1 of 1 counterexample hold' : 'nothing found',
    duration_ms: 5,
    independent: {
      mode,
      points: [],
      counterexamples: [],
      open: [],
      questions: [],
      requirements: { total: 0, tested: 0, met: 0, not_met: [] },
      challenge: {
        outcome: isWrong ? 'counterexample' : 'nothing_found',
        p_wrong: isWrong ? 1 : 0,
        requirements: [],
      },
    },
  };
  await callRoute(of, 'challenge', { id, token, body: { entry } });
}
