import { createCommandGate } from '../tests/gate-runs/command-gate.ts';

/** The project's type checker. */
export const typeCheckGate = createCommandGate({
  name: 'type_check',
  enabledByDefault: false,
  condition: 'code_changed',
  commandKey: 'type_check_command',
  toolKind: 'type_check',
  runsTests: false,
});
