/** Fewest survivors that say anything. */
const FEWEST = 2;

/** Whether tests notice too little of what is changed in the lines that a patch adds. `share`: of survivors, above which it is so. */
export const isTooMuch = (tried: number, survived: number, share: number): boolean =>
  survived >= FEWEST && survived / tried > share;

/** Whether so many more mutants could not change that any more, whatever becomes of them. */
export const isSettled = (tried: number, survived: number, left: number, share: number): boolean =>
  isTooMuch(tried + left, survived, share) || !isTooMuch(tried + left, survived + left, share);
