import { shareInterval, Z_95 } from '../cascade/learning/interval.ts';
import type { GateWord } from '../metrics/further.ts';
import type { Change } from './change.ts';
import { MIN_TASKS } from './replay.ts';
import type { ProposalTest } from './schema.ts';

/** A gate is let go of when people have overruled it in more than this share of its cases, at 95 %. */
export const OVERRULED = 0.8;
/** And is required when it has passed fewer than this share of what people then rejected. */
const MISSED = 0.2;

/** How a change of what a gate is required to holds against what people said of work that it had held, or had passed. */
export function gateTest(
  { gate, required }: Extract<Change, { kind: 'gate' }>,
  word: GateWord | undefined,
  now: Date,
): ProposalTest {
  const { held = 0, false_blocks = 0, false_greens = 0 } = word ?? {};
  const overruled = shareInterval(false_blocks, held, Z_95);
  const range = `${overruled.low.toFixed(2)} to ${overruled.high.toFixed(2)}`;
  const numbers = `of ${held} patches that ${gate} held, people let through ${false_blocks} (${range} at 95 %); ${false_greens} that it had passed were rejected or taken back`;
  const said = (holds: boolean, why: string): ProposalTest => ({
    by: 'words',
    at: now.toISOString(),
    holds,
    why,
    tasks: held,
    left_out: 0,
    assumed: 0,
    cost_usd: null,
    pass_rate: null,
  });
  if (held < MIN_TASKS) return said(false, `${numbers}; ${MIN_TASKS} are needed`);
  if (!required)
    return overruled.low > OVERRULED
      ? said(true, numbers)
      : said(false, `${numbers}; more than ${OVERRULED} must be shown`);
  return overruled.high < MISSED
    ? said(true, numbers)
    : said(false, `${numbers}; less than ${MISSED} must be shown`);
}
