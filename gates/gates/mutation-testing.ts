import { mutationGate } from '../tests/mutation/gate.ts';

/** Whether the tests notice when the changed code is changed in small ways. */
export const mutationTesting = mutationGate({
  name: 'mutation_testing',
  condition: 'code_changed',
  timeoutS: 600,
  key: 'mutation',
  threshold: 0.5,
  mutates: 'changed_code',
});
