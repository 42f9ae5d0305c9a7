import { commandGate } from '../tool-run/command.ts';

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
