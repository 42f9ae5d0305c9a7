export const TASK_REQUIREMENTS = { requirements: ['sum adds its arguments'] };

const requirement = (state: 'met' | 'not_met' | 'cannot_tell', reason: string) => ({
  number: 1,
  requirement: 'sum adds its arguments',
  reason,
  file: 'src/sum.js',
  line: 1,
  state,
});

/** An answer of the requirements review: its one requirement is met, or it is not. */
export const requirementsAnswer = (isMet: boolean, confidence: number, reason = 'r') => ({
  requirements: [requirement(isMet ? 'met' : 'not_met', reason)],
  concerns: [],
  confidence,
});
