/** What a check can come to; there is nothing else. */
export const OUTCOMES = ['ok', 'attention', 'missing', 'could_not_look'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** What was found, and what to do about it when it is not `ok`. */
export interface Finding {
  readonly outcome: Outcome;
  readonly detail: string;
  readonly advice: string | null;
}

export interface CheckResult extends Finding {
  /** Stable word for scripts. */
  readonly check: string;
}

export const ok = (detail: string): Finding => ({ outcome: 'ok', detail, advice: null });
/** It works, or will; somebody should know. */
export const attention = (detail: string, advice: string): Finding => ({
  outcome: 'attention',
  detail,
  advice,
});
/** Without it, tasks fail or nothing can be deployed. */
export const missing = (detail: string, advice: string): Finding => ({ outcome: 'missing', detail, advice });

/** Names that services give to an identity that may not look. */
const DENIED = /AccessDenied|NotAuthorized|UnauthorizedOperation|Forbidden/;

const couldNotLook = (error: unknown): Finding => {
  const name = error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  return {
    outcome: 'could_not_look',
    detail: `${name}: ${message}`,
    advice: DENIED.test(name)
      ? 'Look with an identity that may read this; nothing is said about what is there.'
      : 'Try again; when it stays so, look yourself.',
  };
};

/** Runs one check. A look that fails is a finding of its own and never a good one. */
export async function look(check: string, find: () => Promise<Finding>): Promise<CheckResult> {
  return { check, ...(await find().catch(couldNotLook)) };
}
