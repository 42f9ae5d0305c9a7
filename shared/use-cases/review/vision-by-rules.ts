import type { AutonomyLevel } from '../../contract/approval/autonomy.ts';
import type { VisionSettings } from '../../contract/review/vision-schema.ts';
import type { Screenshot } from '../../contract/screenshot.ts';
import type { GateSaid } from '../../reviews/review/gate-word.ts';
import { pictureOf, unmetBy } from '../../reviews/review/vision/heuristic.ts';
import type { Looks } from '../../reviews/review/vision/looks.ts';
import { BadPicture } from '../../reviews/review/vision/pixels.ts';
import { seen } from '../../reviews/review/vision/vision.ts';
import { type Album, looking, readPicture } from './vision-pictures.ts';

/** Holds pictures against what a workflow expects of them, by their pixels alone. */
export const lookByRules = (
  shots: readonly Screenshot[],
  settings: VisionSettings,
  album: Album,
  autonomy: AutonomyLevel,
): Promise<GateSaid> =>
  looking(settings.timeout_s, async (signal) => {
    const known = new Map<string, Looks>();
    const findings = [];
    for (const expectation of settings.expectations) {
      const shot = pictureOf(expectation, shots);
      if (!shot) throw new BadPicture(`there is no picture ${expectation.screenshot}`);
      const looks = known.get(shot.name) ?? (await readPicture(shot, album, signal)).looks;
      known.set(shot.name, looks);
      const finding = unmetBy(expectation, { name: shot.name, looks }, settings);
      if (finding) findings.push(finding);
    }
    const summary = findings.map(({ description, evidence }) => `${description}: ${evidence[0]}`).join('; ');
    return seen({ findings, summary, confidence: 1 }, autonomy);
  });
