import { expect, test } from 'vitest';
import { countFailedStreamRecords } from '../../../../shared/control/dead-letters/partial-batch-response.ts';

test.each([
  ['', 0],
  ['null', 0],
  ['{"batchItemFailures":[]}', 0],
  ['{"batchItemFailures":[{"itemIdentifier":"1"},{"itemIdentifier":"2"}]}', 2],
])('a reader that answers %j could not do %i records', (payload, failed) => {
  expect(countFailedStreamRecords(payload)).toBe(failed);
});

test.each(['{}', '[]', '"done"', '{"batchItemFailures":2}', '{'])(
  'the answer %s says nothing of what has been done, and is none',
  (payload) => {
    expect(() => countFailedStreamRecords(payload)).toThrow();
  },
);
