/** Runs jobs side by side, at most `limit` at once; the results are in the order of the jobs. */
export async function runPooled<T>(limit: number, jobs: readonly (() => Promise<T>)[]): Promise<T[]> {
  const results = new Map<number, T>();
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < jobs.length; index = next++) {
      const job = jobs[index];
      if (job) results.set(index, await job());
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, jobs.length)) }, worker));
  return jobs.flatMap((_, index) => (results.has(index) ? [results.get(index) as T] : []));
}
