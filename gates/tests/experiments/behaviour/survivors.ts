/** Fewest survivors that say anything. */
const FEWEST = 2;
/** From how many mutants on a share says something; of fewer, all have to survive. */
const A_SHARE_FROM = 6;

/** Whether tests notice too little of what is changed in the lines that a patch adds. `share`: of survivors, above which it is so. */
export const isTooMuch = (tried: number, survived: number, share: number): boolean =>
  survived >= FEWEST && (tried < A_SHARE_FROM ? survived === tried : survived / tried > share);

/** What it comes to, whatever becomes of so many mutants that are left; null: that depends on them, or they are so few that all are worth a run. */
export function settled(tried: number, survived: number, left: number, share: number): boolean | null {
  if (left > 0 && tried + left < A_SHARE_FROM) return null;
  const least = isTooMuch(tried + left, survived, share);
  return least === isTooMuch(tried + left, survived + left, share) ? least : null;
}
