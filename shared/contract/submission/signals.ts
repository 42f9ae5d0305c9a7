import * as z from 'zod';
import { invalidGlobReason } from '../../lib/glob/glob.ts';
import { CHECK_ERROR_ACTIONS } from './on-error.ts';

/** Longest regular expression or glob accepted, in characters: longer ones are mistakes or attacks. */
export const MAX_SIGNAL_PATTERN_LENGTH = 1_000;

/** Says why a path may not be used inside a checkout, or null when it may. Symbolic links are checked when the path is read. */
export function unsafePathReason(path: string): string | null {
  if (path.length === 0) return 'must not be empty';
  if (path.length > 4_096) return 'is longer than 4096 characters';
  if (path.includes('\0')) return 'must not contain a NUL byte';
  if (path.includes('\\')) return 'must use forward slashes';
  if (path.startsWith('/') || /^[A-Za-z]:/.test(path))
    return 'must be relative to the checkout, not absolute';
  const segments = path.split('/');
  if (segments.includes('..')) return 'must not leave the checkout with ".."';
  if (segments[0] === '.git') return 'must not point into .git';
  return null;
}

const stringRefusedBy = (check: (value: string) => string | null) =>
  z.string().superRefine((value, context) => {
    const problem = check(value);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

export const CheckoutPath = stringRefusedBy(unsafePathReason).describe(
  'Relative path inside the checkout, with forward slashes.',
);
/** Says why a name is none of a file or folder to own, or null. As a pattern nobody would match it: all work would lie outside. */
const invalidOwnedPathReason = (path: string): string | null =>
  unsafePathReason(path) ??
  (path.includes('*') ? 'is a file or a folder, and no pattern: name the folder itself' : null);
export const TaskOwnedPath = stringRefusedBy(invalidOwnedPathReason).describe(
  'Relative path of a file or folder inside the checkout, with forward slashes.',
);
export const CheckoutGlob = stringRefusedBy((value) =>
  value.length > MAX_SIGNAL_PATTERN_LENGTH
    ? `is longer than ${MAX_SIGNAL_PATTERN_LENGTH} characters`
    : (unsafePathReason(value) ?? invalidGlobReason(value)),
).describe('A glob inside the checkout; `*` does not match dot files, `**` crosses folders.');
/** Regular expression; its syntax is checked by `findRegexErrors` (regex.ts): the engine is large, and most readers of a task need no engine. */
const Regex = z.string().min(1, 'must not be empty').max(MAX_SIGNAL_PATTERN_LENGTH);
const Command = z.string().trim().min(1, 'must not be empty').max(4_000);

export const PathExists = z.strictObject({ type: z.literal('path_exists'), path: CheckoutPath });
export const GlobExists = z.strictObject({ type: z.literal('glob_exists'), pattern: CheckoutGlob });
export const FileContains = z
  .strictObject({
    type: z.literal('file_contains'),
    path: CheckoutPath,
    contains: z
      .string()
      .min(1, 'must not be empty')
      .max(10_000)
      .optional()
      .describe('Literal, case-sensitive text.'),
    regex: Regex.optional().describe('RE2 regular expression.'),
  })
  .superRefine((value, context) => {
    if ((value.contains === undefined) === (value.regex === undefined))
      context.addIssue({
        code: 'custom',
        path: ['contains'],
        message: 'give either `contains` (literal) or `regex`, not both and not neither',
      });
  });
export const TestPasses = z.strictObject({
  type: z.literal('test_passes'),
  command: Command.describe('Command for `bash -c` in the patched tree; exit code 0 passes.'),
  timeout_s: z.number().int().min(1).max(3_600).default(120),
});

/** Names and numbers of this machine alone: what is asked can be nobody else, whatever a resolver says. */
const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];
const FIRST_PORT = 1_024;

/** Says why an address is not that of a service in the box, or null. */
function invalidServiceUrlReason(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url?.protocol !== 'http:') return 'must be an http:// URL';
  if (!LOOPBACK.includes(url.hostname)) return `must name this machine: ${LOOPBACK.join(', ')}`;
  if (url.username || url.password || url.hash) return 'must have no user, password or fragment';
  if (Number(url.port) < FIRST_PORT) return `must name a port from ${FIRST_PORT} on`;
  return null;
}
export const ApiResponds = z.strictObject({
  type: z.literal('api_responds'),
  command: Command.describe(
    'Command for `bash -c` in the patched tree that starts the service; it is stopped after the response.',
  ),
  url: stringRefusedBy((value) =>
    value.length > 2_000 ? 'is longer than 2000 characters' : invalidServiceUrlReason(value),
  ).describe('URL for a GET request, on this machine; redirects are not followed.'),
  status: z.number().int().min(200).max(599).default(200),
  contains: z.string().min(1).max(10_000).optional().describe('Literal text that the response must contain.'),
  timeout_s: z
    .number()
    .int()
    .min(1)
    .max(600)
    .default(60)
    .describe('Seconds within which the service must have responded so.'),
});

const SignalPrompt = z.string().trim().min(1, 'must not be empty').max(8_000);
const OnErrorOfSignal = z
  .enum(CHECK_ERROR_ACTIONS)
  .default('hold')
  .describe(
    'When no model can judge: the work needs review, the verdict is `fail`, or it stands without the opinion.',
  );
const LlmReview = z.strictObject({
  type: z.literal('llm_review'),
  instructions: SignalPrompt.describe(
    'A question about the work, answered yes or no by a model; no is a fail.',
  ),
  on_error: OnErrorOfSignal,
});
const LlmJudge = z.strictObject({
  type: z.literal('llm_judge'),
  criteria: SignalPrompt.describe(
    'Criteria that a model judges; below a confidence of 0.7 the work needs review.',
  ),
  on_error: OnErrorOfSignal,
});

/** Least score of a foundation task's quality gate, however low its threshold. */
const MIN_THRESHOLD = 2;
const QualityGate = z.strictObject({
  type: z.literal('quality_gate'),
  criteria: SignalPrompt.optional().describe('Criteria in addition to the task itself.'),
  threshold: z.number().int().min(1).max(5).default(3).describe('Minimum score that passes, of 1 to 5.'),
  foundation: z
    .boolean()
    .default(false)
    .describe(
      'Three or more tasks build on this one: the threshold is one lower, and there is one more attempt.',
    ),
  on_error: OnErrorOfSignal,
});
type QualityGate = z.infer<typeof QualityGate>;

/** The score that passes. */
export const effectiveQualityThreshold = ({
  threshold,
  foundation,
}: Pick<QualityGate, 'threshold' | 'foundation'>): number =>
  foundation ? Math.min(threshold, Math.max(MIN_THRESHOLD, threshold - 1)) : threshold;

/** Looked at, or run, in the gates box. */
const OBSERVED_SIGNALS = [PathExists, GlobExists, FileContains, TestPasses, ApiResponds] as const;
/** Asked of a model by the janitor, after what was observed. */
const MODEL_JUDGED_SIGNALS = [LlmReview, LlmJudge, QualityGate] as const;
const SIGNAL_TYPES = [...OBSERVED_SIGNALS, ...MODEL_JUDGED_SIGNALS].map(({ shape }) => shape.type.value);

export const ModelJudgedSignal = z.discriminatedUnion('type', MODEL_JUDGED_SIGNALS);
export type ModelJudgedSignal = z.infer<typeof ModelJudgedSignal>;

/** The field that a compact `value` stands for. */
const COMPACT_FIELD: Readonly<Record<string, string>> = {
  path_exists: 'path',
  glob_exists: 'pattern',
  test_passes: 'command',
  llm_review: 'instructions',
  llm_judge: 'criteria',
  quality_gate: 'criteria',
};
const COMPACT_TARGET_FIELDS = [...Object.values(COMPACT_FIELD), 'contains', 'regex'];

/** The seed's compact form `{type, value}` becomes the named form; a `file_contains` value reads `path :: needle` or `path :: regex:needle`. */
function expandCompact(input: unknown): unknown {
  if (typeof input !== 'object' || input === null || !('value' in input) || !('type' in input)) return input;
  const { type, value, ...rest } = input as { type: unknown; value: unknown };
  // Beside the field that it stands for it is one too many, and refused as such: none of the two may be dropped without a word.
  if (typeof value !== 'string' || COMPACT_TARGET_FIELDS.some((field) => field in rest)) return input;
  const field =
    typeof type === 'string' && Object.hasOwn(COMPACT_FIELD, type) ? COMPACT_FIELD[type] : undefined;
  if (field !== undefined) return { ...rest, type, [field]: value };
  if (type === 'file_contains') {
    const at = value.indexOf(' :: ');
    if (at < 0) return input;
    const path = value.slice(0, at).trim();
    const needle = value.slice(at + 4);
    return needle.startsWith('regex:')
      ? { ...rest, type, path, regex: needle.slice(6) }
      : { ...rest, type, path, contains: needle };
  }
  return input;
}

/** What must be observable in the tree before the work counts as finished. */
export const CompletionSignal = z.preprocess(
  expandCompact,
  z.discriminatedUnion('type', [...OBSERVED_SIGNALS, ...MODEL_JUDGED_SIGNALS], {
    error: (issue) =>
      issue.code === 'invalid_union' ? `unknown signal type; known: ${SIGNAL_TYPES.join(', ')}` : undefined,
  }),
);
export type CompletionSignal = z.infer<typeof CompletionSignal>;

export const isModelJudgedSignal = (signal: CompletionSignal): signal is ModelJudgedSignal =>
  MODEL_JUDGED_SIGNALS.some(({ shape }) => shape.type.value === signal.type);

/** One line that names a signal, as the seed prints it: `type: value`. */
export function describeSignal(signal: CompletionSignal): string {
  switch (signal.type) {
    case 'path_exists':
      return `path_exists: ${signal.path}`;
    case 'glob_exists':
      return `glob_exists: ${signal.pattern}`;
    case 'file_contains':
      return `file_contains: ${signal.path} :: ${signal.regex === undefined ? signal.contains : `regex:${signal.regex}`}`;
    case 'test_passes':
      return `test_passes: ${signal.command}`;
    case 'api_responds':
      return `api_responds: ${signal.url} ${signal.status}`;
    case 'llm_review':
      return `llm_review: ${signal.instructions}`;
    case 'llm_judge':
      return `llm_judge: ${signal.criteria}`;
    case 'quality_gate':
      return `quality_gate: ${signal.criteria ?? `at least ${effectiveQualityThreshold(signal)} of 5`}`;
  }
}

/** The command lines of the tests that a task names. */
export const listTestCommands = ({
  completion_signals,
}: {
  readonly completion_signals: readonly CompletionSignal[];
}): string[] =>
  completion_signals.flatMap((signal) => (signal.type === 'test_passes' ? [signal.command] : []));

/** Signals that the author of a pull request may name. No model is asked about one: whoever opens pull requests would spend the money. */
export const AUTHOR_SIGNAL_TYPES = [
  'path_exists',
  'glob_exists',
  'file_contains',
  'test_passes',
  'api_responds',
] as const;
export const AuthorSignalType = z.enum(AUTHOR_SIGNAL_TYPES);
export type AuthorSignalType = z.infer<typeof AuthorSignalType>;
export const MAX_AUTHOR_SIGNALS = 20;
/** A signal of the author of a pull request, in its named form. */
export const AuthorSignal = z.discriminatedUnion('type', [
  PathExists,
  GlobExists,
  FileContains,
  TestPasses,
  ApiResponds,
]);
export type AuthorSignal = z.infer<typeof AuthorSignal>;
