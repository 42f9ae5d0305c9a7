import type { PatchCode } from '../code/patch-code.ts';
import type { GateContext, GateResult } from '../core/gate.ts';
import type { GateFinding } from '../core/gate-finding.ts';
import { NO_RULE_SETTINGS } from '../core/rule-settings.ts';
import type { Rule } from '../rules/framework/rule.ts';
import { createRuleLevelLookup } from '../rules/framework/rule-levels.ts';
import { buildRuleGateResult } from './rule-gate.ts';

interface CodeRuleResult {
  readonly findings: readonly GateFinding[];
  /** The detail when there is nothing to say. */
  readonly cleanDetail: string;
  readonly facts?: GateResult['facts'];
  /** Rules whose failing findings block, where the gate is not required too. */
  readonly blockingRules?: readonly string[];
}

/** Reads the code of both sides with the rules of a gate, each at its level; what could not be read is said beside. */
export async function runCodeRules(
  context: GateContext,
  cards: readonly Rule[],
  look: (code: PatchCode) => Promise<CodeRuleResult>,
): Promise<GateResult> {
  const [{ runPatchCodeCheck }, { findUnreadableChangedFiles }, { applyRuleLevels }] = await Promise.all([
    import('../code/patch-code.ts'),
    import('../code/unreadable-changes.ts'),
    import('../rules/framework/run-rules.ts'),
  ]);
  return runPatchCodeCheck(context, async (code) => {
    const { findings, cleanDetail, facts, blockingRules } = await look(code);
    const unread = await findUnreadableChangedFiles(code.store, code.project, code.changed);
    const all = applyRuleLevels(
      [...unread, ...findings],
      cards,
      createRuleLevelLookup(context.ruleSettings ?? NO_RULE_SETTINGS),
    );
    const result = buildRuleGateResult(context, all, cards, cleanDetail, facts);
    return blockingRules === undefined ? result : { ...result, blocks: fails(all, blockingRules) };
  });
}

const fails = (seen: readonly GateFinding[], rules: readonly string[]): boolean =>
  seen.some(({ rule, severity }) => severity === 'error' && rules.includes(rule));
