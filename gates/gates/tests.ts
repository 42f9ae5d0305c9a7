import { createCommandGate } from '../tests/gate-runs/command-gate.ts';

/** The project's tests, and those that the patch deletes or weakens in their base version. */
export const testsGate = createCommandGate({
  name: 'tests',
  enabledByDefault: false,
  condition: 'code_changed',
  commandKey: 'test_command',
  toolKind: 'tests',
  runsTests: true,
});
