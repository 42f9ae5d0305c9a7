/** The outcomes of a check. */
export const DOCTOR_OUTCOMES = ['ok', 'attention', 'missing', 'could_not_run'] as const;
export type DoctorOutcome = (typeof DOCTOR_OUTCOMES)[number];

/** The result of a check, with advice unless it is ok. */
export interface DoctorFinding {
  readonly outcome: DoctorOutcome;
  readonly detail: string;
  readonly advice: string | null;
}

export interface DoctorCheck extends DoctorFinding {
  /** Stable identifier for scripts. */
  readonly check: string;
}

export const createOkFinding = (detail: string): DoctorFinding => ({ outcome: 'ok', detail, advice: null });
/** Tasks run, but the operator should know. */
export const createAttentionFinding = (detail: string, advice: string): DoctorFinding => ({
  outcome: 'attention',
  detail,
  advice,
});
/** Without it tasks fail, or nothing can be deployed. */
export const createMissingFinding = (detail: string, advice: string): DoctorFinding => ({
  outcome: 'missing',
  detail,
  advice,
});

/** Names of errors of an identity without permission. */
const DENIED = /AccessDenied|NotAuthorized|UnauthorizedOperation|Forbidden/;

const couldNotRun = (error: unknown): DoctorFinding => {
  const name = error instanceof Error ? error.name : 'Error';
  const message = error instanceof Error ? error.message : String(error);
  return {
    outcome: 'could_not_run',
    detail: `${name}: ${message}`,
    advice: DENIED.test(name)
      ? 'Repeat it with an identity that may read this.'
      : 'Try again; if the error stays, check it by hand.',
  };
};

/** Runs one check. A check that throws could not run; it is never ok. */
export async function performDoctorCheck(
  check: string,
  find: () => Promise<DoctorFinding>,
): Promise<DoctorCheck> {
  return { check, ...(await find().catch(couldNotRun)) };
}
