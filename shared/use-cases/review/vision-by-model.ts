import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import { type Judgement, timesOf } from '../../contract/judgement/judgement.ts';
import { calibrationFor, familyOfModel, type JudgeModel } from '../../contract/models/models.ts';
import type { VisionSettings } from '../../contract/review/vision-schema.ts';
import type { Screenshot } from '../../contract/screenshot.ts';
import type { Piece } from '../../lib/material.ts';
import type { AskModel, Picture } from '../../reviews/judging/port.ts';
import { costOf } from '../../reviews/judging/price.ts';
import type { GateSaid } from '../../reviews/review/gate-word.ts';
import type { VisionReport } from '../../reviews/review/vision/finding.ts';
import { seen, unseen, visionQuestion } from '../../reviews/review/vision/vision.ts';
import { type Album, looking, readPicture } from './vision-pictures.ts';

/** Bytes of pictures that one question shows: as base64 that is what all providers take of one. */
export const MAX_SHOWN_BYTES = 12 * 1_048_576;

/** As many pictures as one question holds, from the first on. */
function roomFor(shots: readonly Screenshot[]): {
  readonly shown: Screenshot[];
  readonly left: Screenshot[];
} {
  let room = MAX_SHOWN_BYTES;
  const shown = shots.filter(({ bytes }) => {
    if (room < bytes) return false;
    room -= bytes;
    return true;
  });
  return { shown, left: shots.filter((shot) => !shown.includes(shot)) };
}

const leftOut = (left: readonly Screenshot[]): VisionReport['findings'] =>
  left.length === 0
    ? []
    : [
        {
          category: 'visual_defect',
          severity: 'info',
          description: `not looked at, for want of room: ${left.map(({ name }) => name).join(', ')}`,
          evidence: [],
          suggested_fix: '',
          screenshot: '',
        },
      ];

interface Asking {
  readonly ask: AskModel;
  readonly viewer: JudgeModel;
  readonly autonomy: AutonomyLevel;
  readonly now: () => Date;
}

/** Shows pictures to a model, beside what the task says. What no reader of ours can read to its end is shown to nobody. */
export const lookByModel = (
  about: readonly Piece[],
  shots: readonly Screenshot[],
  settings: VisionSettings,
  album: Album,
  { ask, viewer, autonomy, now }: Asking,
): Promise<GateSaid & Partial<Judgement>> =>
  looking(settings.timeout_s, async (signal) => {
    const { shown, left } = roomFor(shots);
    const pictures: Picture[] = [];
    for (const shot of shown) pictures.push(await readPicture(shot, album, signal));
    const question = visionQuestion(about, shown, pictures, settings);
    const answered = await ask(viewer, question);
    const { id, version, sha256 } = question.prompt;
    const said =
      'outcome' in answered
        ? unseen(answered.outcome, answered.why)
        : seen(
            { ...answered.value, findings: [...answered.value.findings, ...leftOut(left)] },
            autonomy,
            question.injections,
          );
    return {
      ...said,
      model: viewer.model,
      family: familyOfModel(viewer),
      prompt: { id, version, sha256 },
      calibration: calibrationFor(viewer, question.prompt),
      calls: answered.calls,
      tokens: answered.tokens,
      cost_usd: costOf(viewer, answered, now().toISOString()),
      ...timesOf(answered),
    };
  });
