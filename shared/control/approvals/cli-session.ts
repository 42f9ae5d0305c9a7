/** Of the session of an agent CLI, where it becomes part of a file's name or of a command line. */
export const AGENT_CLI_SESSION_ID_PATTERN = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;

/** Largest record of a session in bytes that is kept while a task waits for leave. */
export const MAX_CLI_SESSION_BYTES = 8 * 1_048_576;
