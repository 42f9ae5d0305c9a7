import type { FailureCode } from '../../shared/contract/failure/failure-class.ts';

/** A checkout, patch or push that did not work, and whose fault that is. */
export class CheckoutError extends Error {
  readonly failureClass: FailureCode;
  /** What to do, in one sentence; null: the caller knows better. */
  readonly hint: string | null;

  constructor(failureClass: FailureCode, message: string, hint: string | null = null) {
    super(message);
    this.name = 'CheckoutError';
    this.failureClass = failureClass;
    this.hint = hint;
  }
}
