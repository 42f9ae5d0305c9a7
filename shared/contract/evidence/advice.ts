import type { VerdictReason } from './schema.ts';

const ADVICE_PREFIX = 'advice_';

/** Returns the code of a reason that changes no verdict. */
export const adviceCode = (code: string): string => `${ADVICE_PREFIX}${code}`;

/** Tells whether a reason is only advice: it is shown with the verdict, and decides nothing. */
export const isAdvice = ({ code }: Pick<VerdictReason, 'code'>): boolean => code.startsWith(ADVICE_PREFIX);
