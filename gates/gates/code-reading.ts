import type { Code } from '../code/run.ts';
import type { GateContext, GateResult } from '../core/gate.ts';
import { NO_SETTINGS } from '../core/rule-settings.ts';
import type { Seen } from '../core/seen.ts';
import { levelsOf } from '../rules/framework/levels.ts';
import type { Rule } from '../rules/framework/rule.ts';
import { readingResult } from './reading-gate.ts';

interface Looked {
  readonly seen: readonly Seen[];
  /** The detail when there is nothing to say. */
  readonly clean: string;
  readonly metadata?: GateResult['metadata'];
  /** Rules whose failing findings block, where the gate is not required too. */
  readonly blocking?: readonly string[];
}

/** Reads the code of both sides with the rules of a gate, each at its level; what could not be read is said beside. */
export async function readCode(
  context: GateContext,
  cards: readonly Rule[],
  look: (code: Code) => Promise<Looked>,
): Promise<GateResult> {
  const [{ lookAtCode }, { readabilityOf }, { levelled }] = await Promise.all([
    import('../code/run.ts'),
    import('../code/readable.ts'),
    import('../rules/framework/findings.ts'),
  ]);
  return lookAtCode(context, async (code) => {
    const { seen, clean, metadata, blocking } = await look(code);
    const unread = await readabilityOf(code.store, code.project, code.changed);
    const all = levelled([...unread, ...seen], cards, levelsOf(context.rules ?? NO_SETTINGS));
    const result = readingResult(context, all, cards, clean, metadata);
    return blocking === undefined ? result : { ...result, blocks: fails(all, blocking) };
  });
}

const fails = (seen: readonly Seen[], rules: readonly string[]): boolean =>
  seen.some(({ rule, weight }) => weight === 'fails' && rules.includes(rule));
