import * as z from 'zod';
import { ownCpuMs } from '../../workspace/process/cpu-time.ts';
import type { Gate, GateResult } from '../core/gate.ts';
import { NO_SETTINGS } from '../core/rule-settings.ts';
import { asFindings } from '../core/seen.ts';
import { levelsOf, weakenedFacts } from '../rules/framework/levels.ts';

/** Whether the work still fits on the branch that it is to go to, and whether marks of an earlier conflict were left in it. */
export const mergeConflict: Gate = {
  name: 'merge_conflict',
  flag: 'merge_conflict_check',
  on: false,
  required: true,
  condition: 'any_changed',
  settings: { merge_conflict_check: z.boolean().optional() },
  moving: (subject) => subject.upstream(),
  run: async ({ subject, timeoutMs, rules = NO_SETTINGS }): Promise<GateResult> => {
    const deadline = ownCpuMs() + timeoutMs;
    const [{ findMarkers }, { mergeWith }, { NEEDED_GIT }, { MARKER_RULES }, { levelled }] =
      await Promise.all([
        import('../rules/merge-conflict/markers.ts'),
        import('../rules/merge-conflict/merge.ts'),
        import('../../workspace/git/merge.ts'),
        import('../rules/merge-conflict/rules.ts'),
        import('../rules/framework/findings.ts'),
      ]);
    const [found, upstream] = await Promise.all([findMarkers(subject, deadline), subject.upstream()]);
    const markers = levelled(found, MARKER_RULES, levelsOf(rules));
    const merge = upstream && (await mergeWith(subject.store, subject.patched, upstream));
    const left = markers.filter(({ weight }) => weight === 'fails');
    const conflicts = merge ?? [];
    const result = (outcome: GateResult['outcome'], detail: string): GateResult => ({
      outcome,
      kind: 'checked_by_us',
      detail,
      findings: [
        ...conflicts.map(({ path, kind }) => ({
          file: path,
          line: null,
          rule: 'merge_conflict',
          message: `${kind} with ${upstream?.ref ?? ''}`,
        })),
        ...asFindings(markers),
      ],
      metadata: {
        conflicts: conflicts.length,
        markers: left.length,
        upstream: upstream?.commit ?? null,
        upstream_ref: upstream?.ref ?? null,
        ...weakenedFacts(MARKER_RULES, rules),
      },
    });
    const problems = [
      ...(conflicts.length > 0 ? [`${conflicts.length} files conflict with ${upstream?.ref ?? ''}`] : []),
      ...(left.length > 0 ? [`${left.length} conflict markers were left in`] : []),
    ];
    if (problems.length > 0) return result('failed', problems.join('; '));
    if (markers.some(({ weight }) => weight === 'unclear'))
      return result('inert', 'a person must look at the conflict markers');
    if (!upstream)
      return result(
        'inert',
        'nobody here knows where the branch stands that this is to go to; fetch it first',
      );
    if (merge === null)
      return result('inert', `this git cannot merge without a checkout; needs git ${NEEDED_GIT}`);
    return result(
      'passed',
      upstream.commit === upstream.base
        ? `${upstream.ref} has not moved since`
        : `merges with ${upstream.ref} at ${upstream.commit.slice(0, 12)}`,
    );
  },
};
