/** How many of the latest scores a trend is made of. */
const LATEST = 10;
/** A slope of more than this from one score to the next is a trend. */
const STEEP = 2;

/** Whether scores get better, by the slope of the least squares through the latest of them; `stable` with fewer than two. */
export function scoreTrend(all: readonly number[]): 'improving' | 'stable' | 'declining' {
  const scores = all.slice(-LATEST);
  if (scores.length < 2) return 'stable';
  const middle = (scores.length - 1) / 2;
  const mean = scores.reduce((sum, each) => sum + each, 0) / scores.length;
  const over = scores.reduce((sum, each, at) => sum + (at - middle) * (each - mean), 0);
  const under = scores.reduce((sum, _, at) => sum + (at - middle) ** 2, 0);
  const slope = over / under;
  return slope > STEEP ? 'improving' : slope < -STEEP ? 'declining' : 'stable';
}
