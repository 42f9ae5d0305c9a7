import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { type Judgement, NOBODY_ASKED, timesOf } from '../../contract/judgement/judgement.ts';
import { familyOf } from '../../contract/models/family.ts';
import { calibrationFor, familyOfModel, type JudgeModel } from '../../contract/models/models.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import type { Piece } from '../../lib/material.ts';
import type { AskModel } from '../../reviews/judging/port.ts';
import { costOf } from '../../reviews/judging/price.ts';
import { PROMPTS } from '../../reviews/judging/prompts.ts';
import { groundingFindings } from '../../reviews/review/grounding.ts';
import {
  attacked,
  attackQuestion,
  missingDeliverable,
  noDeliverable,
  openFault,
  RED_TEAM_SUBJECT,
  redTeamOf,
} from '../../reviews/review/red-team.ts';

export interface AttackContext {
  readonly ask: AskModel;
  readonly attacker: JudgeModel | undefined;
  readonly autonomy: AutonomyLevel;
  /** Why no model is asked about the task any more, or null. */
  readonly spent: string | null;
  readonly now: () => Date;
}

const HOW_TO =
  'no model attacks work: name one as `red_team` in `assay:judges` of the deployment, or with `assay up --models FILE`';

/** Has the work attacked that has come so far; nothing where its workflow does not want that. */
export async function attack(
  task: Task,
  attempt: Attempt,
  pieces: readonly Piece[],
  { ask, attacker, autonomy, spent, now }: AttackContext,
): Promise<Judgement[]> {
  const settings = redTeamOf(task);
  if (!settings) return [];
  const head = { ...NOBODY_ASKED, kind: 'red_team' as const, subject: RED_TEAM_SUBJECT, calibration: null };
  const because = 'asked: the workflow has its work attacked';
  const missing = missingDeliverable(task, attempt);
  if (missing !== null) return [{ ...head, ...noDeliverable(missing, settings), because: missing }];
  const why = whyNobody();
  if (why !== null || !attacker)
    return [{ ...head, ...openFault('inert', why ?? HOW_TO), because: why ?? HOW_TO }];
  const said = attempt.report?.summary ?? '';
  const question = attackQuestion(
    [...pieces, { label: 'what the agent says of its work', text: said.slice(0, 4_000) }],
    settings,
  );
  const answered = await ask(attacker, question);
  const claims = settings.grounding === 'heuristic' ? groundingFindings(said) : [];
  const { id, version, sha256 } = PROMPTS.red_team;
  return [
    {
      ...head,
      because,
      model: attacker.model,
      family: familyOfModel(attacker),
      prompt: { id, version, sha256 },
      calibration: calibrationFor(attacker, PROMPTS.red_team),
      calls: answered.calls,
      tokens: answered.tokens,
      cost_usd: costOf(attacker, answered, now().toISOString()),
      ...timesOf(answered),
      ...('outcome' in answered
        ? openFault(answered.outcome, answered.why)
        : attacked(
            answered.value.summary,
            [...answered.value.findings, ...claims],
            autonomy,
            question.injections,
          )),
    },
  ];

  function whyNobody(): string | null {
    if (!attacker) return HOW_TO;
    if (spent !== null) return spent;
    return attempt.model !== null && familyOfModel(attacker) === familyOf(attempt.model)
      ? `${attacker.model} is of the same family as ${attempt.model}, which did the work`
      : null;
  }
}
