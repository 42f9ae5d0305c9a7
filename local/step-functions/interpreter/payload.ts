import { StateError } from './errors.ts';

/** Largest input or output of a state in bytes of UTF-8 (256 KiB; Step Functions service quotas). */
export const MAX_PAYLOAD_BYTES = 262_144;

/**
 * Returns a plain JSON copy of the value of `field`. @throws StateError States.DataLimitExceeded above 256
 * KiB.
 */
export function checkPayload(value: unknown, field: string): unknown {
  const text = json(value ?? null, field);
  if (isPayloadTooLarge(text)) {
    throw new StateError(
      'States.DataLimitExceeded',
      `The ${field} is larger than the ${MAX_PAYLOAD_BYTES} bytes that a state may pass on.`,
    );
  }
  return JSON.parse(text);
}

function json(value: unknown, field: string): string {
  try {
    return JSON.stringify(value);
  } catch {
    // A function of JSONata holds its environment, which holds the function.
    throw new StateError('States.QueryEvaluationError', `The ${field} is not a JSON value.`);
  }
}

/** Returns true if the text has more bytes in UTF-8 than a payload may have. */
export function isPayloadTooLarge(text: string): boolean {
  // A UTF-16 unit takes at most three bytes, so short texts need no count.
  return text.length * 3 > MAX_PAYLOAD_BYTES && Buffer.byteLength(text) > MAX_PAYLOAD_BYTES;
}
