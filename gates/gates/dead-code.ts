import * as z from 'zod';
import type { Gate, GateContext, GateResult } from '../engine/gate.ts';
import { Command, runCommand } from '../tool-run/command.ts';
import { PROFILE_SETTINGS } from '../tool-run/settings.ts';

/** How sure vulture has to be, in percent. */
const Confidence = z.number().int().min(0).max(100);
const DEFAULT_CONFIDENCE = 80;

/** Code that nothing runs, and code that others still need. */
export const deadCode: Gate = {
  name: 'dead_code',
  flag: 'dead_code_check',
  on: false,
  required: false,
  condition: 'code_changed',
  settings: {
    dead_code_check: z.boolean().optional(),
    dead_code_command: Command.optional(),
    dead_code_min_confidence: Confidence.optional(),
    ...PROFILE_SETTINGS,
  },
  run: async (context, settings) => {
    const { lookForDeadCode } = await import('../rules/dead-code/look.ts');
    const confidence = Confidence.safeParse(settings['dead_code_min_confidence']).data ?? DEFAULT_CONFIDENCE;
    const ours = await lookForDeadCode(context, settings, confidence);
    const command = context.command ?? Command.safeParse(settings['dead_code_command']).data;
    return command === undefined || ours.outcome === 'failed' ? ours : withCommand(context, ours, command);
  },
};

/** What the project's own tool says counts besides what we see. */
async function withCommand(context: GateContext, ours: GateResult, command: string): Promise<GateResult> {
  const theirs = await runCommand(context, command);
  const outcome = theirs.outcome === 'passed' ? ours.outcome : theirs.outcome;
  return {
    ...theirs,
    outcome: outcome === 'skipped' ? 'passed' : outcome,
    findings: [...theirs.findings, ...ours.findings],
    detail: `${theirs.detail}; ${ours.detail}`,
    metadata: { ...ours.metadata, ...theirs.metadata },
  };
}
