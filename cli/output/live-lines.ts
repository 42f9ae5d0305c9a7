import type { OutputStream } from '../io.ts';
import { truncateToWidth } from './text.ts';

/** The texts of one line: `live` is redrawn in place, `plain` is printed when it differs from the last one. */
export interface LiveLine {
  readonly key: string;
  readonly live: string;
  readonly plain: string;
}

export interface LiveLineRenderer {
  update(lines: readonly LiveLine[]): void;
}

/** Moves the cursor up by `count` lines, to the first column. */
const moveUp = (count: number): string => (count > 0 ? `\u001b[${count}A\r` : '\r');
const CLEAR_LINE = '\u001b[2K';

type StyleLine = (line: LiveLine, text: string) => string;

/** Prints each change as a new line. */
function createLogLines(output: OutputStream, style: StyleLine): LiveLineRenderer {
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
 * Creates `count` lines that are redrawn in place on a terminal. Elsewhere, and if they do not all fit on the screen, each change is
 * printed as a new line: the cursor cannot go back to lines that have scrolled away.
 */
export function createLiveLineRenderer(
  output: OutputStream,
  count: number,
  style: StyleLine,
): LiveLineRenderer {
  if (!output.isTTY || count >= (output.rows ?? 24)) return createLogLines(output, style);
  let drawn = 0;
  return {
    update: (lines) => {
      // A wrapped line would break the redraw, so lines are cut one column before the edge.
      const width = Math.max(1, (output.columns ?? 80) - 1);
      const text = lines
        .map((line) => `${CLEAR_LINE}${style(line, truncateToWidth(line.live, width))}\n`)
        .join('');
      output.write(moveUp(drawn) + text);
      drawn = lines.length;
    },
  };
}
