import { commandGate } from '../tests/gate-runs/command.ts';

/** The project's linter. */
export const lint = commandGate({
  name: 'lint',
  on: true,
  condition: 'always',
  commandKey: 'lint_command',
  tool: 'lint',
  runsTests: false,
  blame: 'added_lines',
});
