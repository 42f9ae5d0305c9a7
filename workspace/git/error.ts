import type { FailureClass } from '../../shared/contract/failure/failure-class.ts';

/** A checkout, patch or push that did not work, and whose fault that is. */
export class CheckoutError extends Error {
  readonly failureClass: FailureClass;

  constructor(failureClass: FailureClass, message: string) {
    super(message);
    this.name = 'CheckoutError';
    this.failureClass = failureClass;
  }
}
