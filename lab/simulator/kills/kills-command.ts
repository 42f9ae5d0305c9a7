import { runRealKills } from './real-kills.ts';

/** Tasks for each kill: enough that a kill finds one of them in a box. */
const TASKS_PER_KILL = 2;

/** `npm run simulate -- --real-kills N`: kills the embedded stack for real while tasks run. Answers whether all held. */
export async function runKillsCommand(
  kills: number,
  seed: number,
  fault: string | null,
  json: boolean,
): Promise<boolean> {
  const say = (line: string): void => {
    if (!json) console.log(line);
  };
  say(`seed ${seed}: it draws the moments; what runs at them is up to the machine`);
  const record = await runRealKills({ kills, tasks: kills * TASKS_PER_KILL, seed, fault, say });
  if (json) console.log(JSON.stringify(record));
  for (const each of record.broken) say(`BROKEN: ${each}`);
  say(
    `${record.kills} kills (${record.at_moments} of them at a moment that was waited for), ${record.tasks} tasks, ${record.attempts} attempts, ` +
      `${record.agents} runs of agents; ${record.broken.length} broken`,
  );
  return record.broken.length === 0;
}
