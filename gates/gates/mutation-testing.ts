import { createMutationGate } from '../tests/mutation/mutation-gate.ts';

/** Whether the tests notice when the changed code is changed in small ways. */
export const mutationTestingGate = createMutationGate({
  name: 'mutation_testing',
  condition: 'code_changed',
  timeoutS: 600,
  settingsPrefix: 'mutation',
  threshold: 0.5,
  target: 'changed_code',
});
