import type * as z from 'zod';
import type { Change } from '../checkout/changes.ts';
import type { EvidenceKind, Outcome } from '../evidence/outcome.ts';
import type { Finding, GateEvidence } from '../evidence/schema.ts';
import type { Condition } from './conditions.ts';
import type { Rooms } from './rooms.ts';
import type { TestChanges } from './tests/changes.ts';

/** What a gate may look at and use. Everything steering comes from the base commit. */
export interface GateContext {
  readonly changes: readonly Change[];
  /** Every changed path, old names of renamed files included. */
  readonly changedPaths: readonly string[];
  /** Tree to run commands on: the patch, with the protected files of the base. */
  readonly tree: string;
  readonly rooms: Rooms;
  readonly tests: TestChanges;
  /** The command that the pipeline step gives this gate instead of its own. */
  readonly command: string | null;
  readonly timeoutMs: number;
}

export interface GateResult {
  readonly outcome: Outcome;
  readonly kind: EvidenceKind;
  readonly findings: readonly Finding[];
  readonly detail: string;
  readonly metadata?: GateEvidence['metadata'];
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
