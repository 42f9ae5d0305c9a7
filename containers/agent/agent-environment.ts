import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { CONTAINER_ENV_NAMES } from '../../shared/contract/resource-names.ts';
import { buildCommandEnvironment } from '../../workspace/process/command-environment.ts';
import type { WorkspaceLayout } from './adapters/adapter.ts';
import { APPROVAL_FILE_VARIABLE } from './approval-request.ts';
import type { PreparedWorkspace } from './workspace-layout.ts';

/** How to get out, where there is a way. The model's key is in no box. */
export const listForwardedEnvironmentVariables = (): string[] => [
  'HTTPS_PROXY',
  'NO_PROXY',
  ...(process.env[CONTAINER_ENV_NAMES.passedVariables] ?? '').split(',').filter((name) => name !== ''),
];

/** What each process of an agent CLI finds in its environment. */
export const buildCliEnvironment = (
  { home, tmp }: Pick<WorkspaceLayout, 'home' | 'tmp'>,
  overrides: Readonly<Record<string, string>>,
): Record<string, string> =>
  buildCommandEnvironment({
    home,
    tmp,
    passedThrough: listForwardedEnvironmentVariables(),
    overrides,
  });

/** What each process of the agent finds in its environment. */
export const buildAgentEnvironment = (
  assignment: AgentAssignment,
  { layout, invocation }: Pick<PreparedWorkspace, 'layout' | 'invocation'>,
): Record<string, string> =>
  buildCliEnvironment(layout, {
    ASSAY_PROMPT_FILE: layout.promptFile,
    ASSAY_ROLE: assignment.role,
    ASSAY_TASK_ID: assignment.task_id,
    ASSAY_ATTEMPT: String(assignment.attempt),
    ASSAY_MODEL: assignment.model ?? '',
    ASSAY_EFFORT: assignment.effort,
    [APPROVAL_FILE_VARIABLE]: layout.approvalFile,
    ...invocation.env,
  });
