import { type Reading, totalUsage } from './adapters/reading.ts';

const many = (count: number, one: string): string => `${count} ${one}${count === 1 ? '' : 's'}`;

/** How far the agent is, for people; null as long as nothing has come of it. */
export function progressOf(reading: Reading): string | null {
  const { turns, tools, files, costUsd, waiting, nudges, held } = reading;
  if (turns === 0 && tools === 0 && waiting === null && nudges === 0) return null;
  const usage = totalUsage(reading);
  return [
    many(turns, 'turn'),
    many(tools, 'tool call'),
    many(files.size, 'file'),
    usage && `${usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens} tokens in`,
    usage && `${usage.output_tokens} out`,
    costUsd !== null && costUsd > 0 && `$${costUsd.toFixed(4)}`,
    nudges > 0 && 'nudged, because it was silent',
    held > 0 && `told ${many(held, 'time')} what is missing`,
    waiting !== null && `waits: ${waiting.slice(0, 200)}`,
  ]
    .filter((part) => typeof part === 'string')
    .join(', ');
}
