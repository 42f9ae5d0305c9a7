import * as z from 'zod';
import { shownPath } from '../../../workspace/git/path-bytes.ts';
import { outcomeOf } from '../../../workspace/process/outcome.ts';
import type { Gate, GateContext, GateResult } from '../../core/gate.ts';
import { askModules, type Source } from './child.ts';

/** Most findings of one gate. */
const MAX_FINDINGS = 500;

/** What `run` of a module may answer. It cannot say that it was bypassed or timed out: that is ours to say. */
const Result = z.strictObject({
  outcome: z.enum(['passed', 'failed', 'inert', 'skipped']),
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
export interface Declared extends Pick<Gate, 'name' | 'required' | 'condition'> {
  readonly timeoutS?: number;
}

/** A gate whose `run` is a module's, in a checkout of its own. */
export const moduleGate = (source: Source, declared: Declared): Gate => ({
  ...declared,
  flag: declared.name,
  on: true,
  settings: {},
  facts: { source, declared },
  run: (context) => runModule(source, context),
});

/** Stands in the pipeline for a module that could not be loaded: it is never silently gone. */
export const unloadedGate = (declared: Declared, detail: string): Gate => ({
  ...declared,
  flag: declared.name,
  on: true,
  settings: {},
  run: async () => ({ outcome: 'inert', kind: 'checked_by_us', findings: [], detail }),
});

async function runModule(source: Source, { subject, timeoutMs }: GateContext): Promise<GateResult> {
  const room = await subject.rooms.enter(subject.tree);
  const { ran, value } = await askModules(
    room,
    [source],
    {
      name: source.name,
      base: subject.base,
      tree: subject.patched,
      changes: subject.changes.map(({ path, kind, from }) => ({
        path: shownPath(path),
        kind,
        from: from === null ? null : shownPath(from),
      })),
    },
    timeoutMs,
  );
  const kind = 'executed_by_us';
  const metadata = { exit_code: ran.exitCode, output_bytes_cut: ran.cutBytes };
  if (value === undefined) {
    const { outcome, detail } = outcomeOf(ran);
    // A module that breaks says nothing about the patch.
    const broke = outcome === 'failed' || outcome === 'passed';
    return {
      outcome: broke ? 'infra_failed' : outcome,
      kind,
      findings: [],
      detail: broke ? `the module gave no answer: ${detail}` : detail,
      metadata,
    };
  }
  const parsed = Result.safeParse(value);
  if (!parsed.success)
    return {
      outcome: 'infra_failed',
      kind,
      findings: [],
      detail: `the module's answer cannot be used: ${z.prettifyError(parsed.error).slice(0, 1_000)}`,
      metadata,
    };
  const { findings, ...rest } = parsed.data;
  return {
    ...rest,
    kind,
    findings: findings.slice(0, MAX_FINDINGS),
    metadata: { ...metadata, findings_total: findings.length },
  };
}
