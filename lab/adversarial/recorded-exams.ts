import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readChallengeFolder, readExamFolder } from '../../cli/exam/exam-folder.ts';
import type { Challenge, Exam } from '../../shared/contract/exam.ts';
import type { AdversarialCase } from './adversarial-case.ts';
import { addGoCache, readBlindCases } from './blind-cases.ts';

const UNSEEN = join(import.meta.dirname, 'unseen');
const RECORDED = /^recorded:(.+)$/s;

/** Returns the folder of `recorded:FOLDER`, or null for another author. */
export const recordedFolder = (author: string): string | null => RECORDED.exec(author)?.[1] ?? null;

/** Name of a recorded exam: the letter of its set and the number of its case, such as `f05`; null for another name. */
function examName(set: string, file: string): string | null {
  const letter = /-([a-z])$/.exec(set)?.[1];
  const number = /^(\d{2})-/.exec(file)?.[1];
  return letter === undefined || number === undefined ? null : `${letter}${number}`;
}

const readExam = (folder: string): Exam => {
  const exam = readExamFolder(folder, process.cwd());
  return { ...exam, command: exam.command === null ? null : addGoCache(exam.command) };
};

/** Reads a recorded challenge; null: the folder has none. */
function readChallenge(folder: string): Challenge | null {
  if (!existsSync(join(folder, 'challenge.json'))) return null;
  const challenge = readChallengeFolder(folder, process.cwd());
  return {
    ...challenge,
    counterexamples: challenge.counterexamples.map((each) => ({
      ...each,
      command: addGoCache(each.command),
    })),
  };
}

/** Folders of recorded answers; null: that author is not asked. */
export interface RecordedAuthors {
  readonly exams: string | null;
  /** Challenges lie in `<name of the case>/wrong` and `<name of the case>/right`. */
  readonly challenges: string | null;
}

/**
 * Returns the cases of a set, or of all sets of unseen cases, that have a recorded exam or challenge, each with them.
 * @param set folder of cases, or the name of a set such as `2026-11-f`; undefined: all sets
 * @throws Error when no case has one
 */
export function readRecordedCases(
  { exams, challenges: challengeFolder }: RecordedAuthors,
  set: string | undefined,
): AdversarialCase[] {
  const all = readdirSync(UNSEEN, { withFileTypes: true }).flatMap((each) =>
    each.isDirectory() ? [each.name] : [],
  );
  const folders =
    set === undefined ? all.map((name) => join(UNSEEN, name)) : [all.includes(set) ? join(UNSEEN, set) : set];
  const cases = folders.flatMap((folder) => {
    const files = readdirSync(folder)
      .filter((name) => name.endsWith('.json'))
      .toSorted();
    return readBlindCases(folder).flatMap((each, index) => {
      const name = examName(basename(folder), files[index] ?? '');
      if (name === null) return [];
      const exam =
        exams !== null && existsSync(join(exams, name, 'exam.json')) ? readExam(join(exams, name)) : null;
      const challengeOf = (side: 'wrong' | 'right'): Challenge | null =>
        challengeFolder === null ? null : readChallenge(join(challengeFolder, name, side));
      const challenges = { wrong: challengeOf('wrong'), right: challengeOf('right') };
      const isChallenged = challenges.wrong !== null || challenges.right !== null;
      return exam === null && !isChallenged
        ? []
        : [{ ...each, ...(exam && { exam }), ...(isChallenged && { challenges }) }];
    });
  });
  if (cases.length === 0)
    throw new Error(
      `${[exams, challengeFolder].filter(Boolean).join(' and ')}: no exam and no challenge of a case that is known here`,
    );
  return cases;
}
