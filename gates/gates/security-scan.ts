import { commandGate } from '../tests/gate-runs/command.ts';

/** A scanner for unsafe code: bandit for Python, semgrep for the other languages. */
export const securityScan = commandGate({
  name: 'security_scan',
  on: false,
  condition: 'code_changed',
  commandKey: 'security_scan_command',
  tool: 'security_scan',
  runsTests: false,
  blame: 'added_lines',
});
