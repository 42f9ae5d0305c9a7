import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { type Judgement, judgementTimes, UNASKED_RECEIPT } from '../../contract/judgement/judgement.ts';
import { calibrationIdFor, type JudgeModel, judgeModelFamily } from '../../contract/models/judge-models.ts';
import { modelFamily } from '../../contract/models/model-family.ts';
import type { Attempt } from '../../contract/task/attempt.ts';
import type { Task } from '../../contract/task/task.ts';
import { askCostUsd } from '../../reviews/engine/ask-cost.ts';
import type { AskModel } from '../../reviews/engine/ask-model-port.ts';
import type { ReviewPiece } from '../../reviews/engine/review-piece.ts';
import { PROMPTS } from '../../reviews/judging/prompts.ts';
import { groundingFindings } from '../../reviews/review/grounding.ts';
import {
  failedOpenRedTeamResult,
  missingDeliverableReason,
  missingDeliverableResult,
  RED_TEAM_SUBJECT,
  redTeamQuestion,
  redTeamResult,
  redTeamSettings,
} from '../../reviews/review/red-team.ts';

export interface RedTeamContext {
  readonly ask: AskModel;
  readonly redTeamModel: JudgeModel | undefined;
  readonly autonomy: AutonomyLevel;
  /** Why no model is asked about the task any more, or null. */
  readonly budgetRefusal: string | null;
  readonly now: () => Date;
}

const HOW_TO =
  'no model attacks work: name one as `red_team` in `assay:judges` of the deployment, or with `assay up --models FILE`';

/** Has the work attacked that has come so far; nothing where its workflow does not want that. */
export async function runRedTeam(
  task: Task,
  attempt: Attempt,
  pieces: readonly ReviewPiece[],
  { ask, redTeamModel, autonomy, budgetRefusal, now }: RedTeamContext,
): Promise<Judgement[]> {
  const settings = redTeamSettings(task);
  if (!settings) return [];
  const head = {
    ...UNASKED_RECEIPT,
    kind: 'red_team' as const,
    subject: RED_TEAM_SUBJECT,
    calibration: null,
  };
  const because = 'asked: the workflow has its work attacked';
  const missing = missingDeliverableReason(task, attempt);
  if (missing !== null)
    return [{ ...head, ...missingDeliverableResult(missing, settings), because: missing }];
  const why = whyNobody();
  if (why !== null || !redTeamModel)
    return [{ ...head, ...failedOpenRedTeamResult('inert', why ?? HOW_TO), because: why ?? HOW_TO }];
  const said = attempt.report?.summary ?? '';
  const question = redTeamQuestion(
    [
      ...pieces,
      { kind: 'agent_summary', label: 'what the agent says of its work', text: said.slice(0, 4_000) },
    ],
    settings,
  );
  const answered = await ask(redTeamModel, question);
  const claims = settings.grounding === 'heuristic' ? groundingFindings(said) : [];
  const { id, version, sha256 } = PROMPTS.red_team;
  return [
    {
      ...head,
      because,
      model: redTeamModel.model,
      family: judgeModelFamily(redTeamModel),
      prompt: { id, version, sha256 },
      calibration: calibrationIdFor(redTeamModel, PROMPTS.red_team),
      calls: answered.calls,
      tokens: answered.tokens,
      cost_usd: askCostUsd(redTeamModel, answered, now().toISOString()),
      ...judgementTimes(answered),
      ...('outcome' in answered
        ? failedOpenRedTeamResult(answered.outcome, answered.why)
        : redTeamResult(
            answered.value.summary,
            [...answered.value.findings, ...claims],
            autonomy,
            question.injections,
          )),
    },
  ];

  function whyNobody(): string | null {
    if (!redTeamModel) return HOW_TO;
    if (budgetRefusal !== null) return budgetRefusal;
    return attempt.model !== null && judgeModelFamily(redTeamModel) === modelFamily(attempt.model)
      ? `${redTeamModel.model} is of the same family as ${attempt.model}, which did the work`
      : null;
  }
}
