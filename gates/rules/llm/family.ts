import { familyOf } from '../../../shared/judging/family.ts';

const FLASH = 'google/gemini-flash-1.5';
const HAIKU = 'anthropic/claude-haiku-4-5';

/** A cheap model of another family, to review what a model has written. */
export const reviewerOf = (writer: string): string =>
  ({ google: HAIKU, alibaba: HAIKU })[familyOf(writer)] ?? FLASH;
