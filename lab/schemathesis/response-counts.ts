import { readFileSync } from 'node:fs';
import * as z from 'zod';

/** The events of a pass, as far as we read them: `--report ndjson`. */
const Event = z.object({
  ScenarioFinished: z
    .object({
      recorder: z.object({
        label: z.string(),
        // A scenario that was skipped has none.
        interactions: z
          .record(z.string(), z.object({ response: z.object({ status_code: z.number() }).nullish() }))
          .default({}),
      }),
    })
    .optional(),
});

/** How often each operation gave which status. */
export function countResponses(events: string): Map<string, Map<number, number>> {
  const found = new Map<string, Map<number, number>>();
  for (const line of readFileSync(events, 'utf8').split('\n').filter(Boolean)) {
    const { ScenarioFinished } = Event.parse(JSON.parse(line));
    if (!ScenarioFinished) continue;
    const { label, interactions } = ScenarioFinished.recorder;
    const counts = found.get(label) ?? new Map<number, number>();
    found.set(label, counts);
    for (const { response } of Object.values(interactions))
      if (response) counts.set(response.status_code, (counts.get(response.status_code) ?? 0) + 1);
  }
  return found;
}

/** Sum of the cases that were answered. */
export const sumResponses = (answers: ReadonlyMap<string, ReadonlyMap<number, number>>): number =>
  [...answers.values()].flatMap((counts) => [...counts.values()]).reduce((sum, count) => sum + count, 0);

/** Operations that never did what they are for: a pass in which most of them are refused has tried little. */
export const findNeverSuccessfulOperations = (
  answers: ReadonlyMap<string, ReadonlyMap<number, number>>,
): string[] =>
  [...answers].flatMap(([label, counts]) =>
    [...counts.keys()].some((status) => status >= 200 && status < 300) ? [] : [label],
  );
