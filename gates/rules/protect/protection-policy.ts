import type { ProtectedFileKind } from '../../../shared/contract/submission/expected-changes.ts';
import type { ExemptionReasonLookup } from './protection-exemption.ts';

/** What the task and the base commit say of changes to protected files, and what the checks execute. */
export interface ProtectionPolicy {
  readonly exemptionReason: ExemptionReasonLookup;
  /** Kinds of files whose change always needs a review: `protected: review:` of the base. */
  readonly reviewKinds: readonly ProtectedFileKind[];
  /**
   * Returns the lines of all commands that the checks run, with the lines of the scripts and tasks that these go through; null: some
   * of them are not known, so every tool may be among them.
   */
  readonly listCommandLines: () => Promise<readonly string[] | null>;
}

/** Allows nothing, and takes every tool for one that the checks run. */
export const STRICT_PROTECTION_POLICY: ProtectionPolicy = {
  exemptionReason: () => null,
  reviewKinds: [],
  listCommandLines: async () => null,
};
