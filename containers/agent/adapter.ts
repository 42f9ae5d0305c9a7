import { commandEnvironment } from '../../gates/process/environment.ts';
import type { AgentAssignment } from '../../shared/messages/assignment.ts';

/** Set for the agent: where it may leave token counts, a summary and its own status (shared/messages/assignment.ts, UsageFile). */
export const USAGE_FILE_VARIABLE = 'ASSAY_USAGE_FILE';

/** How to get out, where there is a way. The model's key is in no box. */
const PASSED_ON = ['HTTPS_PROXY', 'NO_PROXY'];

/** Where models are, in the variables that the CLIs and their SDKs know. The token ends with the attempt. */
function modelVariables({ models }: AgentAssignment): Record<string, string> {
  if (!models) return {};
  return {
    ANTHROPIC_BASE_URL: models.base_urls.anthropic,
    ANTHROPIC_AUTH_TOKEN: models.token,
    OPENAI_BASE_URL: models.base_urls.openai,
    OPENAI_API_KEY: models.token,
    GOOGLE_GEMINI_BASE_URL: models.base_urls.gemini,
    GEMINI_API_KEY: models.token,
  };
}

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
      ...modelVariables(assignment),
    },
  });
}
