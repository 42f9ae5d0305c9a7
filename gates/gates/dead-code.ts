import * as z from 'zod';
import { COMPARING_GATE_TIME_LIMIT_COUNT } from '../core/experiment-settings.ts';
import type { Gate, GateContext, GateResult } from '../core/gate.ts';
import { CommandLineSetting } from '../tests/gate-runs/command-gate.ts';
import { runCodeRules } from './code-rule-gate.ts';

/** How sure vulture has to be, in percent. */
const Confidence = z.number().int().min(0).max(100);
const DEFAULT_CONFIDENCE = 80;
/** Code that others still need is never merely dead. */
const LOST = 'lost_caller';

/** Code that nothing runs, and code that others still need. */
export const deadCodeGate: Gate = {
  name: 'dead_code',
  configKey: 'dead_code_check',
  enabledByDefault: false,
  timeLimitCount: COMPARING_GATE_TIME_LIMIT_COUNT,
  required: false,
  condition: 'code_changed',
  settings: {
    dead_code_check: z.boolean().optional(),
    dead_code_command: CommandLineSetting.optional(),
    dead_code_min_confidence: Confidence.optional(),
  },
  run: async (context, settings) => {
    const [{ DEAD_CODE_RULES }, { findDeadCodeFindings }, { mergeToolFindings }] = await Promise.all([
      import('../rules/dead-code/rules.ts'),
      import('../rules/dead-code/dead-code-findings.ts'),
      import('../tests/gate-runs/merge-tool-findings.ts'),
    ]);
    const confidence = Confidence.safeParse(settings['dead_code_min_confidence']).data ?? DEFAULT_CONFIDENCE;
    const ours = await runCodeRules(context, DEAD_CODE_RULES, async (code) => {
      const own = await findDeadCodeFindings(code);
      const { seen, notes } = await mergeToolFindings(context, own, code.changed, {
        gate: 'dead_code',
        variables: { CONFIDENCE: String(confidence) },
      });
      return {
        findings: seen,
        cleanDetail: `nothing new is dead in ${code.changed.length} changed files`,
        facts: { lost_callers: own.filter(({ rule }) => rule === LOST).length, ...notes },
        blockingRules: [LOST],
      };
    });
    const command = context.command ?? CommandLineSetting.safeParse(settings['dead_code_command']).data;
    return command === undefined || ours.outcome === 'failed' ? ours : withCommand(context, ours, command);
  },
};

/** What the project's own tool says counts besides what we see. */
async function withCommand(context: GateContext, ours: GateResult, command: string): Promise<GateResult> {
  const { runCommandOnPatch } = await import('../tests/gate-runs/run-command.ts');
  const theirs = await runCommandOnPatch(context, command);
  const outcome = theirs.outcome === 'passed' ? ours.outcome : theirs.outcome;
  return {
    ...theirs,
    outcome: outcome === 'skipped' ? 'passed' : outcome,
    findings: [...theirs.findings, ...ours.findings],
    detail: `${theirs.detail}; ${ours.detail}`,
    facts: { ...ours.facts, ...theirs.facts },
  };
}
