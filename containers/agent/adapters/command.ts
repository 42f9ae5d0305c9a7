import type { AgentAdapter, AgentInvocation, AgentInvocationInput } from './adapter.ts';

/** Set for the agent: where it may leave token counts, a summary and its own status (docs/reference/adapters.md). */
export const USAGE_FILE_VARIABLE = 'ASSAY_USAGE_FILE';

/** Fills the placeholders in one pass, so that text from the prompt is never filled again. */
function invoke({
  assignment,
  layout,
  fullPrompt,
  modelAccess,
  instructions,
}: AgentInvocationInput): AgentInvocation {
  const { adapter } = assignment;
  const argv = adapter.kind === 'command' ? adapter.argv : [];
  const apart = argv.some((argument) => argument.includes('{system_prompt_file}'));
  const values: Record<string, string> = {
    // A program that asks for the role's instructions apart gets them apart; any other gets them before its task.
    prompt: apart ? fullPrompt : `${instructions.role.trim()}\n\n${fullPrompt}`,
    system_prompt_file: layout.instructionsFile,
    prompt_file: layout.promptFile,
    model: assignment.model ?? '',
    effort: assignment.effort,
    task_id: assignment.task_id,
    attempt: String(assignment.attempt),
  };
  return {
    argv: argv.map((argument) =>
      argument.replace(/\{([a-z_]+)\}/g, (whole, name: string) => values[name] ?? whole),
    ),
    env: {
      [USAGE_FILE_VARIABLE]: layout.usageFile,
      ASSAY_SYSTEM_PROMPT_FILE: layout.instructionsFile,
      ...(modelAccess && {
        ANTHROPIC_BASE_URL: modelAccess.base_urls.anthropic,
        ANTHROPIC_AUTH_TOKEN: modelAccess.token,
        OPENAI_BASE_URL: modelAccess.base_urls.openai,
        OPENAI_API_KEY: modelAccess.token,
        GOOGLE_GEMINI_BASE_URL: modelAccess.base_urls.gemini,
        GEMINI_API_KEY: modelAccess.token,
      }),
    },
    files: {},
  };
}

/** Any program. What it prints is for people; what it wants to be read is in its usage file. */
export const commandAdapter: AgentAdapter = {
  invoke,
  stopSignals: ['SIGTERM'],
  readEvent: null,
  observeCalls: null,
};
