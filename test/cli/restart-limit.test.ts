import { expect, test } from 'vitest';
import { RestartLimit } from '../../cli/supervise-stack.ts';

test('a stack that ends five times though its disk has room is not started again', () => {
  const limit = new RestartLimit();
  const restarts = [true, true, false, true, true, true, true, true, true];
  expect(restarts.map((hasRoom) => limit.isRestartAllowed(hasRoom))).toEqual([
    ...[true, true, true, true, true, true, true, true],
    false,
  ]);
});
