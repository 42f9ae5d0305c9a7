import * as z from 'zod';
import { readThreadCpuMs } from '../../workspace/process/cpu-time.ts';
import type { Gate, GateResult } from '../core/gate.ts';
import { toEvidenceFindings } from '../core/gate-finding.ts';
import { NO_RULE_SETTINGS } from '../core/rule-settings.ts';
import { createRuleLevelLookup, describeWeakenedRules } from '../rules/framework/rule-levels.ts';

/** Whether the work still fits on the branch that it is to go to, and whether marks of an earlier conflict were left in it. */
export const mergeConflictGate: Gate = {
  name: 'merge_conflict',
  configKey: 'merge_conflict_check',
  enabledByDefault: false,
  required: true,
  condition: 'any_changed',
  settings: { merge_conflict_check: z.boolean().optional() },
  readVolatileFacts: (subject) => subject.findUpstream(),
  run: async ({ subject, timeoutMs, ruleSettings = NO_RULE_SETTINGS }): Promise<GateResult> => {
    const deadline = readThreadCpuMs() + timeoutMs;
    const [
      { findConflictMarkers, findMergeConflicts },
      { MIN_MERGE_GIT_VERSION },
      { CONFLICT_MARKER_RULES },
      { applyRuleLevels },
    ] = await Promise.all([
      import('../rules/merge-conflict/conflict-markers.ts'),
      import('../../workspace/git/merge-trees.ts'),
      import('../rules/merge-conflict/rules.ts'),
      import('../rules/framework/run-rules.ts'),
    ]);
    const [found, upstream] = await Promise.all([
      findConflictMarkers(subject, deadline),
      subject.findUpstream(),
    ]);
    const markers = applyRuleLevels(found, CONFLICT_MARKER_RULES, createRuleLevelLookup(ruleSettings));
    const merge = upstream && (await findMergeConflicts(subject.store, subject.patched, upstream));
    const left = markers.filter(({ severity }) => severity === 'error');
    const conflicts = merge ?? [];
    const result = (outcome: GateResult['outcome'], detail: string): GateResult => ({
      outcome,
      kind: 'checked',
      detail,
      findings: [
        ...conflicts.map(({ path, kind }) => ({
          file: path,
          line: null,
          rule: 'merge_conflict',
          message: `${kind} with ${upstream?.ref ?? ''}`,
        })),
        ...toEvidenceFindings(markers),
      ],
      facts: {
        conflicts: conflicts.length,
        markers: left.length,
        upstream: upstream?.commit ?? null,
        upstream_ref: upstream?.ref ?? null,
        ...describeWeakenedRules(CONFLICT_MARKER_RULES, ruleSettings),
      },
    });
    const problems = [
      ...(conflicts.length > 0 ? [`${conflicts.length} files conflict with ${upstream?.ref ?? ''}`] : []),
      ...(left.length > 0 ? [`${left.length} conflict markers were left in`] : []),
    ];
    if (problems.length > 0) return result('failed', problems.join('; '));
    if (markers.some(({ severity }) => severity === 'warning'))
      return result('could_not_run', 'a person must look at the conflict markers');
    if (!upstream)
      return result(
        'could_not_run',
        'nobody here knows where the branch stands that this is to go to; fetch it first',
      );
    if (merge === null)
      return result(
        'could_not_run',
        `this git cannot merge without a checkout; needs git ${MIN_MERGE_GIT_VERSION}`,
      );
    return result(
      'passed',
      upstream.commit === upstream.mergeBase
        ? `${upstream.ref} has not moved since`
        : `merges with ${upstream.ref} at ${upstream.commit.slice(0, 12)}`,
    );
  },
};
