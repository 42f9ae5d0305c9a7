import * as z from 'zod';
import type { Gate, GateResult } from '../engine/gate.ts';

/** Whether the work still fits on the branch that it is to go to, and whether marks of an earlier conflict were left in it. */
export const mergeConflict: Gate = {
  name: 'merge_conflict',
  flag: 'merge_conflict_check',
  on: false,
  required: true,
  condition: 'any_changed',
  settings: { merge_conflict_check: z.boolean().optional() },
  run: async ({ subject, timeoutMs }): Promise<GateResult> => {
    const deadline = performance.now() + timeoutMs;
    const [{ findMarkers }, { mergeWith, NEEDED_GIT }] = await Promise.all([
      import('../rules/merge-conflict/markers.ts'),
      import('../rules/merge-conflict/merge.ts'),
    ]);
    const [markers, upstream] = await Promise.all([findMarkers(subject, deadline), subject.upstream()]);
    const merge = upstream && (await mergeWith(subject.store, subject.patched, upstream));
    const left = markers.filter(({ before }) => !before);
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
        ...markers.map(({ path, line, rule, before }) => ({
          file: path,
          line,
          rule,
          message: before ? 'a conflict marker (was there before)' : 'a conflict marker was left in',
          ...(before ? { baseline: 'unchanged' as const } : {}),
        })),
      ],
      metadata: {
        conflicts: conflicts.length,
        markers: left.length,
        upstream: upstream?.commit ?? null,
        upstream_ref: upstream?.ref ?? null,
      },
    });
    const problems = [
      ...(conflicts.length > 0 ? [`${conflicts.length} files conflict with ${upstream?.ref ?? ''}`] : []),
      ...(left.length > 0 ? [`${left.length} conflict markers were left in`] : []),
    ];
    if (problems.length > 0) return result('failed', problems.join('; '));
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
