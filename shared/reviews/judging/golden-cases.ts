import * as z from 'zod';
import type { ReviewPiece } from '../engine/review-piece.ts';

/** Work of which it is known whether it is good: what a judge is measured against. */
export const GoldenCase = z.strictObject({
  id: z.string().trim().min(1, 'must not be empty').max(200),
  truth: z.enum(['good', 'bad']),
  title: z.string().trim().min(1, 'must not be empty').max(500),
  description: z.string().max(20_000).default(''),
  /** What is asked of it by `llm_judge` and `llm_review`. */
  criteria: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(8_000)
    .default('The work does what its task asks.'),
  observed: z.string().max(20_000).default(''),
  notes: z.array(z.string().max(1_000)).max(100).default([]),
  diff: z.string().min(1, 'must not be empty').max(200_000),
});
export type GoldenCase = z.infer<typeof GoldenCase>;

export interface GoldenCaseProblem {
  /** From 1. */
  readonly line: number;
  readonly message: string;
}

function readLine(text: string, line: number): GoldenCase | GoldenCaseProblem[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [{ line, message: `is not JSON: ${error instanceof Error ? error.message : String(error)}` }];
  }
  const parsed = GoldenCase.safeParse(value);
  if (parsed.success) return parsed.data;
  return parsed.error.issues.map(({ path, message }) => ({
    line,
    message: path.length === 0 ? message : `${path.join('.')}: ${message}`,
  }));
}

/** The cases of a JSONL file, or all that is wrong with it, by line and field. Empty lines are none. */
export function readGoldenCases(text: string): GoldenCase[] | { readonly problems: GoldenCaseProblem[] } {
  const cases: GoldenCase[] = [];
  const problems: GoldenCaseProblem[] = [];
  const lines = new Map<string, number>();
  text.split('\n').forEach((each, index) => {
    if (each.trim() === '') return;
    const line = index + 1;
    const read = readLine(each, line);
    if (Array.isArray(read)) {
      problems.push(...read);
      return;
    }
    const earlier = lines.get(read.id);
    if (earlier !== undefined) problems.push({ line, message: `id: ${read.id} is that of line ${earlier}` });
    lines.set(read.id, line);
    cases.push(read);
  });
  const missing = (['good', 'bad'] as const).filter((truth) => !cases.some((each) => each.truth === truth));
  if (problems.length === 0 && missing.length > 0)
    problems.push({
      line: 1,
      message: `truth: no line says ${missing.join(' or ')}; without both kinds nothing can be told of a judge`,
    });
  return problems.length > 0 ? { problems } : cases;
}

/** What a judge is shown of a case, in the form in which it is shown work. */
export const goldenCasePieces = (of: GoldenCase, diff: string): ReviewPiece[] => [
  { kind: 'task', label: 'title of the task', text: of.title },
  { kind: 'task', label: 'description of the task', text: of.description },
  { kind: 'observed', label: 'what was observed', text: of.observed },
  { kind: 'diff', label: 'diff', text: diff },
  ...(of.notes.length === 0
    ? []
    : [{ kind: 'rule_notes' as const, label: 'notes of rules', text: of.notes.join('\n') }]),
];
