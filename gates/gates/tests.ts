import { commandGate } from '../tests/gate-runs/command.ts';

/** The project's tests, and those that the patch deletes or weakens in their base version. */
export const tests = commandGate({
  name: 'tests',
  on: false,
  condition: 'code_changed',
  commandKey: 'test_command',
  tool: 'tests',
  runsTests: true,
  blame: 'not_in_base',
});
