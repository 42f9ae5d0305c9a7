import type { TestResult } from '../../../core/test-result.ts';
import type { ReturnValueMutation } from '../perturbations/return-value-mutators/return-value-mutator.ts';

/** Mutations that a test notices if it checks values, or failures; each with a phrase for messages. */
export const SENSITIVITY_MUTATIONS = {
  'other value': 'every value that the code answers is a little off',
  'other failure': 'the code fails in another way than it does',
} as const satisfies Partial<Record<ReturnValueMutation, string>>;
export type SensitivityMutation = keyof typeof SENSITIVITY_MUTATIONS;
export const ALL_SENSITIVITY_MUTATIONS: readonly SensitivityMutation[] = ['other value', 'other failure'];

/** Runs the tests of a tree with mutated return values. Null: nothing can be mutated, no report names tests, or the budget is spent. */
export type RunMutated = (
  tree: string,
  how: ReturnValueMutation,
) => Promise<ReadonlyMap<string, TestResult> | null>;
