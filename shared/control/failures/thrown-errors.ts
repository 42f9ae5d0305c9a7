import type { FailureAction } from '../../contract/failure/error-action-overrides.ts';
import type { FailureCode } from '../../contract/failure/failure-class.ts';
import { remedyForCode } from '../../contract/failure/failure-classes.ts';
import { ERROR_ACTION_OF_REMEDY } from './remedy-actions.ts';

/** What is asked for cannot be understood: a person must say what is meant. */
export class ClarificationRequiredError extends Error {
  override readonly name = 'ClarificationRequired';
  readonly task_id: string;
  readonly reasons: readonly string[];

  constructor(task_id: string, reasons: readonly string[]) {
    const more = reasons.length > 5 ? `; and ${reasons.length - 5} more` : '';
    super(`${task_id} needs clarification: ${reasons.slice(0, 5).join('; ')}${more}`);
    this.task_id = task_id;
    this.reasons = reasons;
  }
}

/** A plan waits for a person. */
export class PlanReviewRequiredError extends Error {
  override readonly name = 'PlanReviewGated';
  readonly task_id: string;
  readonly autonomy_level: string;

  constructor(task_id: string, autonomy_level: string) {
    super(`the plan of ${task_id} waits for a person: autonomy is ${autonomy_level}`);
    this.task_id = task_id;
    this.autonomy_level = autonomy_level;
  }
}

/** An agent says that what it was told does not hold. */
export class AssumptionViolatedError extends Error {
  override readonly name = 'AssumptionViolated';
}

/** A policy forbids it, or it waits for leave. */
export class ToolActionBlockedError extends Error {
  override readonly name = 'ActionHeld';
}

const names = (of: string): RegExp => new RegExp(`^(?:${of})$`);

/** What was thrown, by its name or its code, in the words of our boxes; the first that matches counts. */
const ERROR_NAME_PATTERNS: readonly (readonly [RegExp, FailureCode])[] = [
  [names('ClarificationRequired|PlanReviewGated|AssumptionViolated|ActionHeld'), 'agent_blocked'],
  [
    names('HttpServiceUnreachableError|AbortError|TimeoutError|ThrottlingException|ServiceUnavailable'),
    'provider_transient',
  ],
  [names('ProvisionedThroughputExceededException|TooManyRequestsException'), 'provider_transient'],
  [
    names('ECONNRESET|ECONNREFUSED|ECONNABORTED|EPIPE|ETIMEDOUT|EAI_AGAIN|UND_ERR_\\w+'),
    'provider_transient',
  ],
];

/** Registries, settings, schemas, who judges their own work, and everything else: the same again would be the same. */
const DEFAULT_FAILURE_CODE: FailureCode = 'config_invalid';

/**
 * What an error that was thrown counts as. What follows from it is what follows from any failure of that name: the one table of
 * `classes.ts`, which a task may have its own word about.
 */
export function classifyErrorFailureCode(error: unknown): FailureCode {
  const { name, code, retryable } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const found = ERROR_NAME_PATTERNS.find(([of]) => of.test(String(name)) || of.test(String(code)))?.[1];
  return found ?? (retryable === true ? 'provider_transient' : DEFAULT_FAILURE_CODE);
}

export const findErrorActionForError = (error: unknown): FailureAction =>
  ERROR_ACTION_OF_REMEDY[remedyForCode(classifyErrorFailureCode(error))];
