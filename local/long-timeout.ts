/** Longest delay in milliseconds of a Node timer; a longer one would fire at once. */
const LONGEST_DELAY = 2_147_483_647;

/** Calls `fire` after `milliseconds`, without an upper limit. Returns the function that cancels it. */
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
