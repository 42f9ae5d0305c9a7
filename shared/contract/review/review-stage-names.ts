/** Stages that a review may have, in the order of docs; a workflow names its own. */
export const REVIEW_STAGES = ['verdict', 'internal', 'client', 'person'] as const;
export type ReviewStage = (typeof REVIEW_STAGES)[number];
/** How bad a finding is, the least first. */
export const REVIEW_SEVERITIES = ['info', 'low', 'medium', 'high', 'critical'] as const;
export type ReviewSeverity = (typeof REVIEW_SEVERITIES)[number];
