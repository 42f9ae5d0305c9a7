import type { AgentAssignment } from '../../shared/contract/messages/assignment.ts';
import { BOX_ENV } from '../../shared/contract/names.ts';
import { commandEnvironment } from '../../workspace/process/environment.ts';
import { APPROVAL_FILE_VARIABLE } from './asking.ts';
import type { Prepared } from './places.ts';

/** How to get out, where there is a way. The model's key is in no box. */
export const passedOn = (): string[] => [
  'HTTPS_PROXY',
  'NO_PROXY',
  ...(process.env[BOX_ENV.passOn] ?? '').split(',').filter((name) => name !== ''),
];

/** What each process of the agent finds in its environment. */
export const environmentOf = (
  assignment: AgentAssignment,
  { places, invocation }: Pick<Prepared, 'places' | 'invocation'>,
): Record<string, string> =>
  commandEnvironment({
    home: places.home,
    tmp: places.tmp,
    pass: passedOn(),
    extra: {
      ASSAY_PROMPT_FILE: places.promptFile,
      ASSAY_ROLE: assignment.role,
      ASSAY_TASK_ID: assignment.task_id,
      ASSAY_ATTEMPT: String(assignment.attempt),
      ASSAY_MODEL: assignment.model ?? '',
      ASSAY_EFFORT: assignment.effort,
      [APPROVAL_FILE_VARIABLE]: places.approvalFile,
      ...invocation.env,
    },
  });
