import { createCommandGate } from '../tests/gate-runs/command-gate.ts';

/** A scanner for unsafe code: bandit for Python, semgrep for the other languages. */
export const securityScanGate = createCommandGate({
  name: 'security_scan',
  enabledByDefault: false,
  condition: 'code_changed',
  commandKey: 'security_scan_command',
  toolKind: 'security_scan',
  runsTests: false,
  checksChangedFilesOnly: true,
});
