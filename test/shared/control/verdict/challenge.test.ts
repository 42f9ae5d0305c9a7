import { describe, expect, it } from 'vitest';
import { truncateEvidenceToLimit } from '../../../../containers/gates/truncate-evidence.ts';
import type { GateEvidence } from '../../../../shared/contract/evidence/schema.ts';
import type { Attempt } from '../../../../shared/contract/task/attempt.ts';
import {
  computeKnownJudgingCost,
  totalJudgingCost,
  unsettledJudgingMicroUsd,
} from '../../../../shared/contract/task/judging-cost.ts';
import { currentAttempt } from '../../../../shared/contract/task/task.ts';
import { requestChallenge } from '../../../../shared/control/task-commands/record-challenge.ts';
import { decideChallengeEffect } from '../../../../shared/control/verdict/apply-challenge.ts';
import { planChallenge } from '../../../../shared/control/verdict/plan-challenge.ts';
import { buildMissingChallengeEvidence } from '../../../../shared/reviews/engine/missing-challenge.ts';
import * as build from '../../../support/builders.ts';

describe('the effect of a challenge', () => {
  const settings = { mode: 'gate', refer_above: 0.8 } as const;
  const missing = buildMissingChallengeEvidence('timed_out', 'w', 'gate');
  const skipped = (more: Partial<GateEvidence>): GateEvidence => ({
    ...missing,
    outcome: 'skipped',
    ...more,
  });
  const answered = (p_wrong: number | null) =>
    skipped({
      independent: missing.independent && {
        ...missing.independent,
        challenge: { outcome: 'nothing_found', p_wrong, requirements: [] },
      },
    });

  it('is none where the challenger found nothing', () => {
    expect(decideChallengeEffect(answered(0.1), settings)).toEqual({ verdict: 'pass', reason: null });
  });

  it('needs review where a skipped entry does not say that the challenger answered', () => {
    const { independent: _, ...bare } = skipped({});
    for (const entry of [bare, skipped({}), answered(null), answered(0.9)])
      expect(decideChallengeEffect(entry, settings).verdict).toBe('refer');
  });
});

describe('the choice of tasks to challenge', () => {
  const plan = (changed: string[], tasks: object, limit?: number) => {
    const evidence = build.evidence({ changed_files: changed });
    return planChallenge(
      build.task({ role: 'developer' }),
      build.attempt({ model: null }),
      build.verdict(),
      limit === undefined ? evidence : truncateEvidenceToLimit(evidence, limit),
      {
        challenger: {
          provider: 'bedrock',
          model: 'm',
          challenge: { tasks: { risk: false, paths: [], ...tasks } },
        },
      },
      build.FIXED_NOW,
    );
  };
  const paths = { paths: ['src/auth/**'] };

  it('follows the changed paths', () => {
    expect(plan(['src/auth/a.ts'], paths)).not.toBeNull();
    expect(plan(['docs/a.md'], paths)).toBeNull();
  });

  it('takes a patch whose list of changed files was cut', () => {
    const many = [...Array.from({ length: 20_000 }, (_, index) => `docs/${index}.md`), 'src/auth/a.ts'];
    expect(plan(many, paths, 100_000)).not.toBeNull();
    expect(plan(many, { min_changed_files: 20_000 }, 100_000)).not.toBeNull();
    expect(plan(many, { min_changed_files: 20_002 }, 100_000)).toBeNull();
    expect(plan(many, {}, 100_000)).toBeNull();
  });
});

describe('the cost of an attempt that is being challenged', () => {
  const NOW_ISO = build.FIXED_NOW.toISOString();
  const claim = { run: 1, expires_at: NOW_ISO, execution_id: 'e', max_micro_usd: 900_000 };
  const asked = (judging_cost_usd: number | null): Attempt => {
    const judged = build.taskInReview({
      verification: build.verification(),
      artifact: build.artifact(),
      judging_claim: claim,
      judging_rounds: { count: 1, unsettled_micro_usd: 0 },
    });
    const { tree, base_commit } = build.artifact();
    const challenge = planChallenge(
      judged,
      currentAttempt(judged) ?? build.attempt(),
      build.verdict({ tree, base_commit, judging_cost_usd }),
      build.evidence({ changed_files: ['a.ts'] }),
      { challenger: { provider: 'bedrock', model: 'm', challenge: { tasks: 'all' } } },
      build.FIXED_NOW,
    );
    if (challenge === null) throw new Error('no challenge is planned');
    const change = requestChallenge(judged, 1, judged.run, challenge, build.FIXED_NOW);
    const attempt = change?.task.attempts.at(-1);
    if (!attempt) throw new Error('nothing is written');
    return attempt;
  };

  it('has the judging of the pending verdict, once', () => {
    const attempt = asked(0.25);
    expect(totalJudgingCost(attempt)).toBe(0.25);
    expect(computeKnownJudgingCost(attempt)).toEqual({ usd: 0.25, isComplete: true });
    expect(unsettledJudgingMicroUsd(attempt)).toBe(0);
  });

  it('has the most that judging may have cost where that is not known', () => {
    const attempt = asked(null);
    expect(totalJudgingCost(attempt)).toBeNull();
    expect(unsettledJudgingMicroUsd(attempt)).toBe(900_000);
  });
});
