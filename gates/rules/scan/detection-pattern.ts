import type { Detector, DetectorMatch, DetectorSeverity } from './detector.ts';
import type { FileClassification } from './file-classification.ts';

/** What a pattern has found, before anybody has said that it is anything. */
export interface PatternCandidate {
  readonly value: string;
  /** Named groups of the pattern. */
  readonly groups: Readonly<Record<string, string | undefined>>;
  /** The text around it, and where in it the value begins. */
  readonly text: string;
  readonly at: number;
  readonly file: FileClassification;
}

/** A detector that is a pattern. */
export interface DetectionPattern {
  readonly rule: string;
  readonly title: string;
  readonly severity: DetectorSeverity;
  readonly anchors: Detector['anchors'];
  readonly before: number;
  readonly after: number;
  /**
   * Every repetition in it has an upper limit, so that the work at one place does not depend on how long the text is. The
   * group `value` is the secret; without one, all of it. What a group `head` has seen by looking back belongs to it.
   */
  readonly pattern: RegExp;
  /** The same without conditions on what stands around it. Absent: there are none. */
  readonly contextFreePattern?: RegExp;
  readonly rank: number;
  readonly inBinary: boolean;
  /** Gives another severity, or null when it is nothing. */
  readonly rateCandidate?: (candidate: PatternCandidate) => DetectorSeverity | null;
}

/** Makes a detector of a rule. */
export function createDetector(rule: DetectionPattern): Detector {
  const global = ({ source, flags }: RegExp): RegExp => new RegExp(source, flags.includes('i') ? 'gi' : 'g');
  const strict = global(rule.pattern);
  const loose = rule.contextFreePattern ? global(rule.contextFreePattern) : strict;
  const { rule: name, title, anchors, before, after, rank, inBinary } = rule;
  return {
    rule: name,
    anchors,
    before,
    after,
    rank,
    inBinary,
    *find(text: string, from: number, file: FileClassification): Generator<DetectorMatch> {
      const pattern = file.isAssembled ? loose : strict;
      pattern.lastIndex = from;
      for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
        const whole = match[0];
        const next = Math.max(pattern.lastIndex, match.index + 1);
        const head = match.groups?.['head'] ?? '';
        const rest = match.groups?.['value'] ?? whole;
        const value = head + rest;
        const at = match.index + whole.lastIndexOf(rest) - head.length;
        const severity = rule.rateCandidate
          ? rule.rateCandidate({ value, groups: match.groups ?? {}, text, at, file })
          : rule.severity;
        if (severity) yield { rule: name, title, severity, start: at, end: at + value.length, value };
        // Somebody else may have used the same pattern while we waited.
        pattern.lastIndex = next;
      }
    },
  };
}
