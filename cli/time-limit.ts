import { CliError, EXIT } from './exit.ts';
import { oneLine } from './output/text.ts';

/** Reads the value of `--timeout`: seconds, more than 0 and at most what a timer can hold (24 days). */
export function timeLimit(text: string): number {
  const seconds = Number(text);
  if (!(seconds > 0 && seconds <= 2_000_000))
    throw new CliError(
      EXIT.usage,
      'bad_timeout',
      `--timeout must be seconds from above 0 to 2000000, not ${oneLine(text)}.`,
    );
  return seconds;
}
