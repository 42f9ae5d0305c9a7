import type * as z from 'zod';
import type { ClaimResponse } from '../../shared/api/report-schemas.ts';
import type { AttemptView } from '../../shared/api/task-schemas.ts';
import type { AgentAdapterSettings } from '../../shared/contract/agents/adapter.ts';
import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { listTestCommands } from '../../shared/contract/submission/signals.ts';
import { buildPromptParts } from '../../shared/control/cascade/agent-prompt.ts';

/** Settings of the worker for every task. */
export interface WorkerSettings {
  readonly apiUrl: string;
  readonly adapter: AgentAdapterSettings;
  readonly model: string | undefined;
}

/**
 * Builds the assignment of a claimed task, as the dispatcher builds it for an agent container. The adapter is the worker's, never the
 * task's: a task that could name a program could run any program on the worker's machine.
 */
export function buildAgentAssignment(
  claim: z.infer<typeof ClaimResponse>,
  attempts: readonly AttemptView[],
  worker: WorkerSettings,
): AgentAssignment {
  const { task } = claim;
  const present = attempts.find(({ number }) => number === claim.attempt);
  return {
    schema_version: 1,
    kind: 'agent',
    task_id: task.id,
    attempt: claim.attempt,
    api_url: worker.apiUrl,
    token: claim.token,
    // Set where it is served.
    delete_url: '',
    repository: task.repository,
    read_credential: null,
    title: task.title,
    base_commit: task.base_commit ?? '',
    role: task.role,
    prompt: buildPromptParts(task, attempts),
    model: worker.model ?? task.model ?? null,
    effort: present?.effort ?? 'high',
    adapter: worker.adapter,
    test_commands: listTestCommands(task),
    model_access: null,
    heartbeat_s: claim.heartbeat_s,
  };
}
