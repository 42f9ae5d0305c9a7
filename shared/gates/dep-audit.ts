import { commandGate } from './command.ts';

/** Known holes in what the project depends on: pip-audit, npm audit, govulncheck, cargo audit. */
export const depAudit = commandGate({
  name: 'dep_audit',
  on: false,
  condition: 'deps_changed',
  commandKey: 'dep_audit_command',
  tool: 'dep_audit',
  runsTests: false,
  blame: 'not_in_base',
});
