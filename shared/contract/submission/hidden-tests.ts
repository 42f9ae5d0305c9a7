import * as z from 'zod';
import { canonicalHash, canonicalJson } from '../../lib/canonical-json.ts';
import { GitRef } from '../repository/git-ref.ts';
import { RepositoryUrl } from '../repository/schema.ts';
import { s3ObjectKeys } from '../resource-names.ts';
import { CheckoutPath, unsafePathReason } from './signals.ts';

/** Most files, handed in or of a repository's folder. */
export const MAX_HIDDEN_TEST_FILES = 500;
/** Most bytes of files that are handed in, together and decoded: a request has 1 MiB at most. */
export const MAX_HIDDEN_TEST_BYTES = 512 * 1_024;
/** Most characters of a path: file systems take 255 bytes for a name, and programs 4,096 for a path with that of the checkout. */
const MAX_PATH = 1_000;

/** What git or a file system takes for its own repository: `.git` in any spelling, its short name, a stream of it. */
const GIT_DIRECTORY_NAME = /^(?:\.git|git~\d+)[ .]*(?::.*)?$/i;
/** Control characters, and those without width that some file systems leave out of `.git`. */
const INVISIBLE_CHARACTER = /[\p{Cc}\p{Cf}]/u;

/** Says why a hidden test cannot be laid over a checkout at this path, or null when it can. */
export function invalidHiddenTestPathReason(path: string): string | null {
  const unsafe = unsafePathReason(path);
  if (unsafe !== null) return unsafe;
  if (path.length > MAX_PATH) return `is longer than ${MAX_PATH} characters`;
  if (INVISIBLE_CHARACTER.test(path)) return 'must not contain control characters';
  const parts = path.split('/');
  if (parts.some((part) => part === '' || part === '.')) return 'must have no empty part and no "."';
  if (parts.some((part) => GIT_DIRECTORY_NAME.test(part))) return 'must not point into .git';
  if (parts.some((part) => Buffer.byteLength(part) > 255)) return 'has a part of more than 255 bytes';
  return null;
}

/** One file of hidden tests, of an exam or of a counterexample. */
export const HiddenTestFile = z
  .strictObject({
    path: z
      .string()
      .superRefine((value, context) => {
        const problem = invalidHiddenTestPathReason(value);
        if (problem) context.addIssue({ code: 'custom', message: problem });
      })
      .describe('Path in the checkout; it may replace a file of the patch.'),
    content: z.string(),
    encoding: z
      .enum(['utf8', 'base64'])
      .default('utf8')
      .describe('Encoding of `content`; base64 for binary content.'),
    executable: z.boolean().default(false),
  })
  .superRefine(({ encoding, content }, context) => {
    if (encoding === 'base64' && Buffer.from(content, 'base64').toString('base64') !== content)
      context.addIssue({ code: 'custom', path: ['content'], message: 'must be base64, padded, in one line' });
  });
export type HiddenTestFile = z.infer<typeof HiddenTestFile>;

/** The bytes of a file that was handed in. */
export const decodeHiddenTestFile = ({
  content,
  encoding,
}: Pick<HiddenTestFile, 'content' | 'encoding'>): Buffer => Buffer.from(content, encoding);

/** Refuses files that are too large together, or that cannot be laid over one checkout side by side. */
export function refuseUnusableFiles(files: readonly HiddenTestFile[], context: z.RefinementCtx): void {
  const refuse = (path: PropertyKey[], message: string): void =>
    context.addIssue({ code: 'custom', path, message });
  const bytes = files.reduce((sum, file) => sum + decodeHiddenTestFile(file).length, 0);
  if (bytes > MAX_HIDDEN_TEST_BYTES)
    refuse(
      [],
      `have ${bytes} bytes together; ${MAX_HIDDEN_TEST_BYTES} is the most, and a repository takes more`,
    );
  const first = new Map<string, number>();
  files.forEach(({ path }, index) => {
    if (first.has(path)) refuse([index, 'path'], 'is listed twice');
    else first.set(path, index);
  });
  files.forEach(({ path }, index) => {
    const parts = path.split('/');
    const above = parts.slice(1).map((_, length) => parts.slice(0, length + 1).join('/'));
    const file = above.find((each) => first.has(each));
    if (file !== undefined) refuse([index, 'path'], `lies in ${file}, which is a file here`);
  });
}

const HiddenTestFiles = z.strictObject({
  kind: z.literal('files'),
  files: z
    .array(HiddenTestFile)
    .min(1)
    .max(MAX_HIDDEN_TEST_FILES)
    .superRefine(refuseUnusableFiles)
    .describe(`At most ${MAX_HIDDEN_TEST_BYTES} bytes together.`),
});
const HiddenTestRepository = z.strictObject({
  kind: z.literal('git'),
  repository: RepositoryUrl.describe("Not the task's own repository: the agent can read that."),
  ref: GitRef.default('main').describe('Branch, tag or full commit id, resolved when the work is verified.'),
  folder: CheckoutPath.optional().describe(
    'Paths that are copied over the checkout; absent: the whole repository.',
  ),
});

/** Tests that whoever asks for the work keeps to himself. Files only: a link or an archive has no form here. */
export const HiddenTests = z
  .discriminatedUnion('kind', [HiddenTestFiles, HiddenTestRepository], {
    error: (issue) => (issue.code === 'invalid_union' ? 'must have a kind: files or git' : undefined),
  })
  .describe(
    'Tests that only the gates container receives. They are copied over the patched tree and run by its tests gate. The API never returns them; the agent learns only how many of them failed.',
  )
  .meta({ id: 'HiddenTests' });
export type HiddenTests = z.infer<typeof HiddenTests>;

/** Where hidden tests lie, and exactly what. */
export const HiddenTestsLocation = z.object({
  key: z.string(),
  sha256: z.string(),
  bytes: z.number().int().nonnegative(),
});
export type HiddenTestsLocation = z.infer<typeof HiddenTestsLocation>;

/** Hidden tests or an exam as they are stored: the same tests always as the same bytes. */
export const serializeHiddenTests = (tests: object): string => canonicalJson(tests);

/**
 * Returns where the hidden tests or the exam of a task belong. Pure: a repeated request finds the same place.
 * @param keyOf key of the object by its digest
 */
export function hiddenTestsLocation(
  taskId: string,
  tests: object,
  keyOf: (taskId: string, sha256: string) => string = s3ObjectKeys.hiddenTests,
): HiddenTestsLocation {
  const sha256 = canonicalHash(tests);
  return {
    key: keyOf(taskId, sha256),
    sha256,
    bytes: Buffer.byteLength(serializeHiddenTests(tests)),
  };
}
