/**
 * Maps items with at most `limit` calls of `work` in progress. Results are in the order of the items.
 * After a failure no further call is started; the promise rejects with the first error once the started calls have settled.
 */
export async function mapConcurrently<T, R>(
  limit: number,
  items: readonly T[],
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const results = new Array<R>(items.length);
  const failures: unknown[] = [];
  const queue = items.entries();
  const drainQueue = async (): Promise<void> => {
    for (const [index, item] of queue) {
      try {
        results[index] = await work(item, index);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, items.length)) }, drainQueue));
  if (failures.length > 0) throw failures[0];
  return results;
}
