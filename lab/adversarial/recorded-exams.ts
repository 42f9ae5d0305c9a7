import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readExamFolder } from '../../cli/exam/exam-folder.ts';
import type { Exam } from '../../shared/contract/exam.ts';
import type { AdversarialCase } from './adversarial-case.ts';
import { addGoCache, readBlindCases } from './blind-cases.ts';

const UNSEEN = join(import.meta.dirname, 'unseen');
const RECORDED = /^recorded:(.+)$/s;

/** Returns the folder of `recorded:FOLDER`, or null for another examiner. */
export const recordedExamFolder = (examiner: string): string | null => RECORDED.exec(examiner)?.[1] ?? null;

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

/**
 * Returns the cases of a set, or of all sets of unseen cases, that have a recorded exam, each with it.
 * @param set folder of cases, or the name of a set such as `2026-11-f`; undefined: all sets
 * @throws Error when no case has one
 */
export function readCasesWithExams(recorded: string, set: string | undefined): AdversarialCase[] {
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
      const place = name === null ? null : join(recorded, name);
      return place === null || !existsSync(join(place, 'exam.json'))
        ? []
        : [{ ...each, exam: readExam(place) }];
    });
  });
  if (cases.length === 0) throw new Error(`${recorded} has no exam of a case that is known here`);
  return cases;
}
