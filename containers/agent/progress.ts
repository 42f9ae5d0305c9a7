import { type AgentRunState, sumTokenUsage } from './adapters/run-state.ts';

const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** How far the agent is, for people; null as long as nothing has come of it. */
export function describeAgentProgress(reading: AgentRunState): string | null {
  const { turns, toolCalls, changedFiles, costUsd, waitReason, nudges, holdBacks } = reading;
  if (turns === 0 && toolCalls === 0 && waitReason === null && nudges === 0) return null;
  const usage = sumTokenUsage(reading);
  return [
    many(turns, 'turn'),
    many(toolCalls, 'tool call'),
    many(changedFiles.size, 'file'),
    usage && `${usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens} tokens in`,
    usage && `${usage.output_tokens} out`,
    costUsd !== null && costUsd > 0 && `$${costUsd.toFixed(4)}`,
    nudges > 0 && 'nudged, because it was silent',
    holdBacks > 0 && `told ${many(holdBacks, 'time')} what is missing`,
    waitReason !== null && `waits: ${waitReason.slice(0, 200)}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');
}
