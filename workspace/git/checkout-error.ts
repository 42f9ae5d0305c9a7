import type { FailureCode } from '../../shared/contract/failure/failure-class.ts';

/** A checkout, patch or push that did not work, and whose fault that is. */
export class CheckoutError extends Error {
  readonly failureClass: FailureCode;

  constructor(failureClass: FailureCode, message: string) {
    super(message);
    this.name = 'CheckoutError';
    this.failureClass = failureClass;
  }
}
