/**
 * Seconds in which all models are asked about one attempt: those of a workflow come one after the other. Express ends the janitor after
 * 300, and what comes after the asking takes some.
 */
export const JUDGING_SECONDS = 230;
