/** Longest delay in milliseconds that one Node timer takes; a longer one would fire at once. */
const LONGEST_DELAY = 2_147_483_647;

/** Calls `fire` after `milliseconds`, however long that is. Returns what cancels it. */
export function setLongTimeout(milliseconds: number, fire: () => void): () => void {
  let left = milliseconds;
  let timer: NodeJS.Timeout;
  const arm = () => {
    const delay = Math.min(left, LONGEST_DELAY);
    left -= delay;
    timer = setTimeout(left > 0 ? arm : fire, delay);
  };
  arm();
  return () => clearTimeout(timer);
}
