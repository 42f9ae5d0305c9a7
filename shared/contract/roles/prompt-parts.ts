/** What a task's prompt is made of, in the order in which they stand when a template leaves some out. */
export const PROMPT_PART_NAMES = [
  'TASK_TITLE',
  'TASK_DESCRIPTION',
  'ACCEPTANCE_CRITERIA',
  'CHECKS',
  'FILES',
  'EXPECTS',
  'KNOWLEDGE',
  'FEEDBACK',
] as const;
