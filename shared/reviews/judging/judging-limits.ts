/** Seconds that the janitor may take: just below the five minutes after which Express ends an execution. */
export const JANITOR_TIMEOUT_SECONDS = 290;
/** Seconds for which nobody else asks models about an attempt: longer than the janitor lives that asks them. */
export const JUDGING_CLAIM_LEASE_SECONDS = 300;
/** Seconds in which all models are asked about one attempt: those of a workflow come one after the other, and what comes after the asking takes some. */
export const JUDGING_TIMEOUT_SECONDS = 230;
/** Milliseconds for one judgement, with all its calls. */
export const JUDGEMENT_TIMEOUT_MS = 90_000;
