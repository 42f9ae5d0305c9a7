import type { OutputStream } from '../io.ts';
import { truncateToWidth } from './text.ts';

/** One followed thing: `live` for the line that changes in place, `plain` for a log line (printed when it differs from the last). */
export interface LiveLine {
  readonly key: string;
  readonly live: string;
  readonly plain: string;
}

export interface LiveLines {
  update(lines: readonly LiveLine[]): void;
}

/** Up by `count` lines, to the first column. */
const up = (count: number): string => (count > 0 ? `\u001b[${count}A\r` : '\r');
const CLEAR_LINE = '\u001b[2K';

type StyleLine = (line: LiveLine, text: string) => string;

/** Each change is a line of its own. */
function logLines(output: OutputStream, style: StyleLine): LiveLines {
  const printed = new Map<string, string>();
  return {
    update: (lines) => {
      for (const line of lines) {
        if (printed.get(line.key) === line.plain) continue;
        printed.set(line.key, line.plain);
        output.write(`${style(line, line.plain)}\n`);
      }
    },
  };
}

/**
 * `count` lines: on a terminal they are drawn over each other; elsewhere, and where they do not all fit on the screen
 * (one cannot go back up to what has scrolled away), each change is a line of its own.
 */
export function createLiveLines(output: OutputStream, count: number, style: StyleLine): LiveLines {
  if (!output.isTTY || count >= (output.rows ?? 24)) return logLines(output, style);
  let drawn = 0;
  return {
    update: (lines) => {
      // A line that wraps would break the count of lines to go up, so it is cut one short of the edge.
      const width = Math.max(1, (output.columns ?? 80) - 1);
      const text = lines
        .map((line) => `${CLEAR_LINE}${style(line, truncateToWidth(line.live, width))}\n`)
        .join('');
      output.write(up(drawn) + text);
      drawn = lines.length;
    },
  };
}
