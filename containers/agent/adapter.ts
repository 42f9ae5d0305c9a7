import { commandEnvironment } from '../../gates/process/environment.ts';
import type { AgentAssignment } from '../../shared/messages/assignment.ts';

/** Set for the agent: where it may leave token counts, a summary and its own status (shared/messages/assignment.ts, UsageFile). */
export const USAGE_FILE_VARIABLE = 'ASSAY_USAGE_FILE';

/** Where the agent's proxy listens. The proxy adds the key; the box never holds one. */
const PASSED_ON = [
  'ANTHROPIC_BASE_URL',
  'OPENAI_BASE_URL',
  'GOOGLE_GEMINI_BASE_URL',
  'HTTPS_PROXY',
  'NO_PROXY',
];

/** The prompt without NUL: the operating system cannot pass one in an argument. */
export const plainPrompt = ({ prompt }: AgentAssignment): string => prompt.replaceAll('\0', '');

/** Fills the placeholders of a command adapter, in one pass, so that text from the prompt is never filled again. */
export function adapterArgv(assignment: AgentAssignment, promptFile: string): string[] {
  const values: Record<string, string> = {
    prompt: plainPrompt(assignment),
    prompt_file: promptFile,
    model: assignment.model ?? '',
    effort: assignment.effort,
    task_id: assignment.task_id,
    attempt: String(assignment.attempt),
  };
  return assignment.adapter.argv.map((argument) =>
    argument.replace(/\{([a-z_]+)\}/g, (whole, name: string) => values[name] ?? whole),
  );
}

/** The agent's whole environment. */
export function agentEnvironment(
  assignment: AgentAssignment,
  places: {
    readonly home: string;
    readonly tmp: string;
    readonly usageFile: string;
    readonly promptFile: string;
  },
): Record<string, string> {
  return commandEnvironment({
    home: places.home,
    tmp: places.tmp,
    pass: PASSED_ON,
    extra: {
      [USAGE_FILE_VARIABLE]: places.usageFile,
      ASSAY_PROMPT_FILE: places.promptFile,
      ASSAY_TASK_ID: assignment.task_id,
      ASSAY_ATTEMPT: String(assignment.attempt),
      ASSAY_MODEL: assignment.model ?? '',
      ASSAY_EFFORT: assignment.effort,
    },
  });
}
