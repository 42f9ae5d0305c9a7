import type { Gate } from '../core/gate.ts';
import { commandGate } from '../tests/gate-runs/command.ts';

const audit = commandGate({
  name: 'dep_audit',
  on: false,
  condition: 'deps_changed',
  commandKey: 'dep_audit_command',
  tool: 'dep_audit',
  runsTests: false,
  blame: 'not_in_base',
});

/**
 * Known holes in what the project depends on: pip-audit, npm audit, govulncheck, cargo audit. They look at the patch's own lock files,
 * also where all other gates get those of the base.
 */
export const depAudit: Gate = {
  ...audit,
  run: (context, settings) =>
    audit.run({ ...context, subject: { ...context.subject, tree: context.subject.shipped } }, settings),
};
