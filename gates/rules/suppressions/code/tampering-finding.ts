import type { FindingSeverity } from '../../../core/gate-finding.ts';

/** Something in a source file that cheats whoever checks it. */
export interface TamperingFinding {
  readonly rule: string;
  /** The same before and after is the same deceit, wherever it stands. */
  readonly key: string;
  /** 1-based. */
  readonly line: number;
  readonly message: string;
  readonly weight: Extract<FindingSeverity, 'error' | 'warning' | 'info'>;
}
