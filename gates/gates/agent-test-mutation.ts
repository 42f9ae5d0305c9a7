import { createMutationGate } from '../tests/mutation/mutation-gate.ts';

/** Whether the tests that the patch adds or changes notice when the code that they are about is changed in small ways. */
export const agentTestMutationGate = createMutationGate({
  name: 'agent_test_mutation',
  condition: 'tests_changed',
  timeoutS: 300,
  settingsPrefix: 'agent_test_mutation',
  threshold: 0.7,
  target: 'code_under_changed_tests',
});
