import * as z from 'zod';
import { toDisplayPath } from '../../../workspace/git/path-encoding.ts';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import type { Gate, GateContext, GateResult } from '../../core/gate.ts';
import { type GateModuleSource, runGateModules } from './gate-module-process.ts';

/** Most findings of one gate. */
const MAX_FINDINGS = 500;

/** What `run` of a module may answer. It cannot say that it was bypassed or timed out: that is ours to say. */
const ModuleGateResult = z.strictObject({
  outcome: z.enum(['passed', 'failed', 'could_not_run', 'skipped']),
  detail: z
    .string()
    .default('')
    .transform((text) => text.slice(0, 4_000)),
  findings: z
    .array(
      z.strictObject({
        file: z.string().max(4_096).nullable().default(null),
        line: z.number().int().positive().nullable().default(null),
        rule: z.string().min(1).max(200),
        message: z
          .string()
          .default('')
          .transform((text) => text.slice(0, 1_000)),
      }),
    )
    .default([]),
});

/** What a module declares, already checked. */
export interface GateModuleDeclaration extends Pick<Gate, 'name' | 'required' | 'condition'> {
  readonly timeoutS?: number;
}

/** A gate whose `run` is a module's of the base commit, in a sandbox of its own. */
export const createModuleGate = (source: GateModuleSource, declared: GateModuleDeclaration): Gate => ({
  ...declared,
  configKey: declared.name,
  enabledByDefault: true,
  settings: {},
  cacheFacts: { source, declared },
  run: (context) => runModule(source, context),
});

/** Stands in the pipeline for a module that could not be loaded: it is never silently gone. */
export const createUnloadedModuleGate = (declared: GateModuleDeclaration, detail: string): Gate => ({
  ...declared,
  configKey: declared.name,
  enabledByDefault: true,
  settings: {},
  run: async () => ({ outcome: 'could_not_run', kind: 'checked', findings: [], detail }),
});

async function runModule(source: GateModuleSource, { subject, timeoutMs }: GateContext): Promise<GateResult> {
  const room = await subject.sandboxes.createSandboxWithBase(subject.tree);
  const { processResult, value } = await runGateModules(
    room,
    [source],
    {
      name: source.name,
      base: subject.base,
      tree: subject.patched,
      changes: subject.changes.map(({ path, kind, previousPath }) => ({
        path: toDisplayPath(path),
        kind,
        from: previousPath === null ? null : toDisplayPath(previousPath),
      })),
    },
    timeoutMs,
  );
  const kind = 'executed';
  const facts = { exit_code: processResult.exitCode, output_bytes_cut: processResult.truncatedBytes };
  if (value === undefined) {
    const { outcome, detail } = classifyProcessResult(processResult);
    // A module that breaks says nothing about the patch.
    const broke = outcome === 'failed' || outcome === 'passed';
    return {
      outcome: broke ? 'infra_failed' : outcome,
      kind,
      findings: [],
      detail: broke ? `the module gave no answer: ${detail}` : detail,
      facts,
    };
  }
  const parsed = ModuleGateResult.safeParse(value);
  if (!parsed.success)
    return {
      outcome: 'infra_failed',
      kind,
      findings: [],
      detail: `the module's answer cannot be used: ${z.prettifyError(parsed.error).slice(0, 1_000)}`,
      facts,
    };
  const { findings, ...rest } = parsed.data;
  return {
    ...rest,
    kind,
    findings: findings.slice(0, MAX_FINDINGS),
    facts: { ...facts, findings_total: findings.length },
  };
}
