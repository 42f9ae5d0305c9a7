import { createCommandGate } from '../tests/gate-runs/command-gate.ts';

/** The project's linter. */
export const lintGate = createCommandGate({
  name: 'lint',
  enabledByDefault: true,
  condition: 'always',
  commandKey: 'lint_command',
  toolKind: 'lint',
  runsTests: false,
  checksChangedFilesOnly: true,
});
