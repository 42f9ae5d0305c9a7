import type { Gate } from '../core/gate.ts';
import { createCommandGate } from '../tests/gate-runs/command-gate.ts';

const audit = createCommandGate({
  name: 'dep_audit',
  enabledByDefault: false,
  condition: 'deps_changed',
  commandKey: 'dep_audit_command',
  toolKind: 'dep_audit',
  runsTests: false,
});

/**
 * Known holes in what the project depends on: pip-audit, npm audit, govulncheck, cargo audit. They look at the patch's own lock files,
 * also where all other gates get those of the base.
 */
export const depAuditGate: Gate = {
  ...audit,
  run: (context, settings) =>
    audit.run(
      { ...context, subject: { ...context.subject, tree: context.subject.treeWithPatchLockFiles } },
      settings,
    ),
};
