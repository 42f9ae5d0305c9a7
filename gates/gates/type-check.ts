import { commandGate } from '../tests/gate-runs/command.ts';

/** The project's type checker. */
export const typeCheck = commandGate({
  name: 'type_check',
  on: false,
  condition: 'code_changed',
  commandKey: 'type_check_command',
  tool: 'type_check',
  runsTests: false,
  blame: 'not_in_base',
});
