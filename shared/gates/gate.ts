import type * as z from 'zod';
import type { EvidenceKind, Outcome } from '../evidence/outcome.ts';
import type { Finding, GateEvidence } from '../evidence/schema.ts';
import type { Condition } from './conditions.ts';
import type { Subject } from './subject.ts';

/** What a gate gets for one run. Everything steering comes from the base commit. */
export interface GateContext {
  readonly subject: Subject;
  /** The command that the pipeline step gives this gate instead of its own. */
  readonly command: string | null;
  /** Somebody switched it on; false when it is on only because that is the default. */
  readonly asked: boolean;
  readonly timeoutMs: number;
}

export interface GateResult {
  readonly outcome: Outcome;
  readonly kind: EvidenceKind;
  readonly findings: readonly Finding[];
  readonly detail: string;
  readonly metadata?: GateEvidence['metadata'];
  /** What failed keeps the patch from being accepted, even where the gate is optional. */
  readonly blocks?: boolean;
}

/** A check with a name. One gate is one file; `registry.ts` lists them in pipeline order. */
export interface Gate {
  readonly name: string;
  /** Its switch under `quality_gates` in `assay.yaml`. */
  readonly flag: string;
  /** Whether it is on when the switch is not set. */
  readonly on: boolean;
  readonly required: boolean;
  readonly condition: Condition;
  /** The keys that it reads under `quality_gates`, its switch included. */
  readonly settings: z.ZodRawShape;
  readonly run: (context: GateContext, settings: Readonly<Record<string, unknown>>) => Promise<GateResult>;
}
