import type { Gate, GateContext, GateResult } from '../core/gate.ts';
import { NO_SETTINGS } from '../core/rule-settings.ts';
import { resultOf, type Seen } from '../core/seen.ts';
import { levelsOf, levelsWhere, weakenedFacts } from '../rules/framework/levels.ts';
import type { Rule } from '../rules/framework/rule.ts';

/** What a reading gate is made of. */
interface ReadingGate extends Omit<Gate, 'run' | 'flag' | 'on' | 'onWith' | 'required'> {
  readonly rules: () => Promise<readonly Rule[]>;
  /** Changed files whose text its rules look at. */
  readonly wanted?: (path: string) => boolean;
  /** Gates that count as required for its rules, of those that the run requires. */
  readonly requiredOf?: (
    context: GateContext,
    settings: Readonly<Record<string, unknown>>,
  ) => Promise<readonly string[]>;
  /** The detail when there is nothing to say. */
  readonly clean: (texts: number) => string;
}

/** A gate that is its rules: each finding at the level of its rule. On with the tests. */
export const readingGate = ({ rules, wanted, requiredOf, clean, ...gate }: ReadingGate): Gate => ({
  ...gate,
  flag: gate.name,
  on: false,
  onWith: ['tests'],
  required: true,
  run: async (context, settings) => {
    const [{ patchView, findingsOf }, all] = await Promise.all([
      import('../rules/framework/findings.ts'),
      rules(),
    ]);
    const required = (await requiredOf?.(context, settings)) ?? context.required ?? [];
    const view = await patchView(context.subject, required, wanted);
    const foreseen = context.subject.protectedFiles.filter(({ allowed_by }) => allowed_by !== null);
    const levelOf = levelsWhere(
      new Set(foreseen.map(({ path }) => path)),
      levelsOf(context.rules ?? NO_SETTINGS),
    );
    const seen = await findingsOf(all, view, levelOf);
    return readingResult(context, seen, all, clean(view.texts.length));
  },
});

/** The result of rules, with which of them the base has weakened. */
export const readingResult = (
  { rules = NO_SETTINGS }: Pick<GateContext, 'rules'>,
  seen: readonly Seen[],
  cards: readonly Rule[],
  clean: string,
  metadata: GateResult['metadata'] = {},
): GateResult => resultOf(seen, clean, { ...metadata, ...weakenedFacts(cards, rules) });
