import { SCRIPTED_SOLUTIONS } from '../../../cli/demo/agent/solutions.ts';
import { buildDemoTasks } from '../../../cli/demo/demo-tasks.ts';
import { AGENT_CLI_KINDS } from '../../../shared/contract/agents/adapter-manifests.ts';
import { DEFAULT_TIER_MODELS, selectTierModels, TIERS } from '../../../shared/contract/agents/tiers.ts';
import type { ScriptStep } from './model-script.ts';
import { startModelServer } from './model-server.ts';

/** The tier of a model, of whichever vendor: haiku for one that is none, as a title is made by. */
const tierOf = (model: string): string =>
  TIERS.find((tier) =>
    AGENT_CLI_KINDS.some(
      (kind) => selectTierModels({ kind, timeout_s: 1 }, DEFAULT_TIER_MODELS)[tier] === model,
    ),
  ) ?? 'haiku';

/** What the demo's own agents write, turn by turn; `text` is the whole conversation. */
export function getDemoScript(model: string, text: string): readonly ScriptStep[] {
  const found = buildDemoTasks('').find(({ task }) => text.includes(task.title));
  const solution = found && SCRIPTED_SOLUTIONS[found.task.id]?.[tierOf(model)];
  if (!solution) return [{ say: 'A task of the demo' }];
  return [
    ...Object.entries(solution.files).map(([path, content]) => ({ write: path, text: content })),
    { say: solution.summary },
  ];
}

if (import.meta.main) {
  const server = await startModelServer({ script: getDemoScript });
  // Whoever started it holds its standard input open.
  process.stdin.resume().once('end', () => process.exit(0));
  process.stdout.write(`${server.url}\n`);
}
