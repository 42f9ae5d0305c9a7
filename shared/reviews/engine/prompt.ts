/** What a judge is told, by name; the version and the digest of its text are in the record of each judgement. */
export interface JudgePrompt {
  readonly id: string;
  readonly version: number;
  readonly sha256: string;
  readonly text: string;
}
