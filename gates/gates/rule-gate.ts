import type { Gate, GateContext, GateResult } from '../core/gate.ts';
import { buildGateResult, type GateFinding } from '../core/gate-finding.ts';
import { NO_RULE_SETTINGS } from '../core/rule-settings.ts';
import type { Rule } from '../rules/framework/rule.ts';
import {
  createRuleLevelLookup,
  createTaskRuleLevelLookup,
  describeWeakenedRules,
} from '../rules/framework/rule-levels.ts';

/** What a reading gate is made of. */
interface RuleGateDefinition
  extends Omit<Gate, 'run' | 'configKey' | 'enabledByDefault' | 'alsoEnabledBy' | 'required'> {
  readonly loadRules: () => Promise<readonly Rule[]>;
  /** Changed files whose text its rules look at. */
  readonly isWantedPath?: (path: string) => boolean;
  /** Gates that count as required for its rules, of those that the run requires. */
  readonly readRequiredGates?: (
    context: GateContext,
    settings: Readonly<Record<string, unknown>>,
  ) => Promise<readonly string[]>;
  /** The detail when there is nothing to say. */
  readonly cleanDetail: (texts: number) => string;
}

/** A gate that is its rules: each finding at the level of its rule. On with the tests. */
export const createRuleGate = ({
  loadRules,
  isWantedPath,
  readRequiredGates,
  cleanDetail,
  ...gate
}: RuleGateDefinition): Gate => ({
  ...gate,
  configKey: gate.name,
  enabledByDefault: false,
  alsoEnabledBy: ['tests'],
  required: true,
  run: async (context, settings) => {
    const [{ createPatchForRules, runRules }, all] = await Promise.all([
      import('../rules/framework/run-rules.ts'),
      loadRules(),
    ]);
    const required = (await readRequiredGates?.(context, settings)) ?? context.requiredGates ?? [];
    const view = await createPatchForRules(context.subject, required, isWantedPath);
    const foreseen = context.subject.protectedFiles.filter(({ allowed_by }) => allowed_by !== null);
    const levelOf = createTaskRuleLevelLookup(
      new Set(foreseen.map(({ path }) => path)),
      createRuleLevelLookup(context.ruleSettings ?? NO_RULE_SETTINGS),
    );
    const seen = await runRules(all, view, levelOf);
    const result = buildRuleGateResult(context, seen, all, cleanDetail(view.changedTexts.length));
    const isEmpty = seen.length === 0 && view.changedTexts.length === 0 && view.unreadableFiles.length === 0;
    return isEmpty ? { ...result, outcome: 'skipped', detail: 'no changed file to look at' } : result;
  },
});

/** The result of rules, with which of them the base has weakened. */
export const buildRuleGateResult = (
  { ruleSettings = NO_RULE_SETTINGS }: Pick<GateContext, 'ruleSettings'>,
  seen: readonly GateFinding[],
  cards: readonly Rule[],
  clean: string,
  facts: GateResult['facts'] = {},
): GateResult => buildGateResult(seen, clean, { ...facts, ...describeWeakenedRules(cards, ruleSettings) });
