import type { FileClassification } from './file-classification.ts';

/** `critical` and `high` fail a gate, `medium` is reported. */
export const DETECTOR_SEVERITIES = ['medium', 'high', 'critical'] as const;
export type DetectorSeverity = (typeof DETECTOR_SEVERITIES)[number];

/** Something that a detector saw in a text. Offsets count from the beginning of that text. */
export interface DetectorMatch {
  readonly rule: string;
  /** What it is, in words. */
  readonly title: string;
  readonly severity: DetectorSeverity;
  readonly start: number;
  readonly end: number;
  /** The secret itself. Never shown; tells one finding from another. */
  readonly value: string;
}

/**
 * Looks for one kind of thing. It is given only the surroundings of its anchors, so a detector costs nothing where none of
 * them occurs.
 */
export interface Detector {
  readonly rule: string;
  /** Lower case; one of them is part of everything that the detector can find. Or: wherever there are many digits. */
  readonly anchors: readonly string[] | 'digits';
  /** How far what it looks for can reach, in bytes, before and after the beginning of an anchor. */
  readonly before: number;
  readonly after: number;
  /** Most bytes that it is given at once. Absent: neighbouring anchors share one text of any length. */
  readonly maxWindowBytes?: number;
  /** Whether what it looks for has a shape that does not come about by chance, so that it can be looked for in binaries. */
  readonly inBinary: boolean;
  /** Among findings in the same place the lowest is kept. */
  readonly rank: number;
  /** @param text Latin-1: one character per byte. @param from where the first match may begin; what is before is context. */
  find(text: string, from: number, file: FileClassification): Iterable<DetectorMatch>;
}

export const DETECTOR_RANK = { token: 0, preset: 1, labelled: 2, shape: 3 } as const;
