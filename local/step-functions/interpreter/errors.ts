/** The error of a state, as Retry and Catch see it. */
export class StateError extends Error {
  readonly error: string;
  readonly errorCause: string;

  constructor(error: string, errorCause: string) {
    super(`${error}: ${errorCause}`);
    this.error = error;
    this.errorCause = errorCause;
  }
}

/** Ends an execution, or a branch of one, from outside. No Retry or Catch handles it. */
export class ExecutionInterruptedError extends Error {
  readonly status: 'ABORTED' | 'TIMED_OUT';
  readonly error: string | undefined;
  readonly errorCause: string | undefined;

  constructor(status: 'ABORTED' | 'TIMED_OUT', error?: string, errorCause?: string) {
    super(errorCause ?? status);
    this.status = status;
    this.error = error;
    this.errorCause = errorCause;
  }
}

/**
 * Returns true if a retrier or catcher with these `ErrorEquals` handles the error. `States.Runtime` is never
 * taken, and `States.DataLimitExceeded` only by its own name; `States.Timeout` covers heartbeats;
 * `States.TaskFailed` covers everything but `States.Timeout`.
 */
export function matchesError(errorEquals: readonly string[], error: string): boolean {
  if (error === 'States.Runtime') return false;
  if (errorEquals.includes(error)) return true;
  if (error === 'States.DataLimitExceeded') return false;
  if (errorEquals.includes('States.ALL')) return true;
  if (error === 'States.HeartbeatTimeout' && errorEquals.includes('States.Timeout')) return true;
  return error !== 'States.Timeout' && errorEquals.includes('States.TaskFailed');
}
