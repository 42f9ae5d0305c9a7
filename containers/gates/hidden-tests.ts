import { join } from 'node:path';
import type { HiddenTestFile, HiddenTestFiles } from '../../gates/core/hidden-tests-result.ts';
import { Exam } from '../../shared/contract/exam.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import {
  decodeHiddenTestFile,
  HiddenTests as HiddenForm,
  invalidHiddenTestPathReason,
  MAX_HIDDEN_TEST_FILES,
} from '../../shared/contract/submission/hidden-tests.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { fetchBaseCommit } from '../../workspace/git/fetch-commits.ts';
import { isRegularFile, listFiles } from '../../workspace/git/list-files.ts';
import { readBlobs } from '../../workspace/git/read-blobs.ts';
import { removeFolder } from '../../workspace/process/remove-folder.ts';
import type { ContainerWorkContext } from '../../workspace/supervisor/container.ts';
import { downloadVerified } from '../../workspace/supervisor/verified-download.ts';

/** Most bytes of hidden tests from a repository: they stay in memory until they run. */
const MAX_REPOSITORY_BYTES = 64 * 1_048_576;

/**
 * Reads the hidden tests of the task into memory; null when it has none.
 * @throws CheckoutError when they cannot be had. Its message goes to the next attempt, so it names neither a file nor a place.
 */
export async function loadHiddenTests(
  { hidden_tests: place }: Pick<GatesAssignment, 'hidden_tests'>,
  box: Pick<ContainerWorkContext, 'embedded' | 'workDir'>,
): Promise<HiddenTestFiles | null> {
  if (!place) return null;
  const handed = HiddenForm.safeParse(await downloadTests(place, 'hidden tests'));
  if (!handed.success) throw unusable('are not in a form that this version knows');
  if (handed.data.kind === 'git') return readFromRepository(handed.data, place.read_credential, box);
  return handed.data.files.map((file) => ({
    path: file.path,
    mode: file.executable ? '100755' : '100644',
    content: decodeHiddenTestFile(file),
  }));
}

/**
 * Reads the submitted exam of the task into memory; null when it has none.
 * @throws CheckoutError when it cannot be read: without it, nothing shows what the requester asked to be tested
 */
export async function loadSubmittedExam({
  exam: place,
}: Pick<GatesAssignment, 'exam'>): Promise<Exam | null> {
  if (!place) return null;
  const exam = Exam.safeParse(await downloadTests(place, 'acceptance tests'));
  if (!exam.success) throw unusable('are not in a form that this version knows', 'acceptance tests');
  return exam.data;
}

async function downloadTests(
  place: NonNullable<GatesAssignment['exam']>,
  what: 'hidden tests' | 'acceptance tests',
): Promise<unknown> {
  const text = await downloadVerified({ ...place, most: place.bytes }, (_why, detail) => {
    console.error(`the ${what}: the object ${detail}`);
    return unusable('cannot be read any more', what);
  });
  return JSON.parse(text.toString('utf8'));
}

const unusable = (why: string, what = 'hidden tests'): CheckoutError =>
  new CheckoutError('config_invalid', `the ${what} of this task ${why}`);

/**
 * Reads the files of a folder of another repository, at the current commit of its ref. That repository is fetched into a store of its own,
 * which is gone before any command of the task runs.
 */
async function readFromRepository(
  { repository, ref, folder }: Extract<HiddenForm, { kind: 'git' }>,
  authorization: string | null,
  { embedded, workDir }: Pick<ContainerWorkContext, 'embedded' | 'workDir'>,
): Promise<HiddenTestFile[]> {
  const dir = join(workDir, 'hidden-tests.git');
  try {
    const { store, commit } = await fetchBaseCommit(dir, {
      url: repository,
      ref,
      authorization,
      allowFile: embedded,
    }).catch(() => {
      throw unusable('cannot be fetched from their repository');
    });
    const within = `${(folder ?? '')
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/')}/`;
    const files = (await listFiles(store, commit)).flatMap((file) =>
      within === '/'
        ? [file]
        : file.path.startsWith(within)
          ? [{ ...file, path: file.path.slice(within.length) }]
          : [],
    );
    if (files.length === 0) throw unusable('are none: their folder is empty or not there');
    if (files.length > MAX_HIDDEN_TEST_FILES) throw unusable(`are more than ${MAX_HIDDEN_TEST_FILES} files`);
    if (!files.every(isRegularFile)) throw unusable('have a link or a submodule among them');
    if (files.some(({ path }) => invalidHiddenTestPathReason(path) !== null))
      throw unusable('have a path that is not allowed');
    if (files.reduce((sum, { size }) => sum + (size ?? 0), 0) > MAX_REPOSITORY_BYTES)
      throw unusable(`are larger than ${MAX_REPOSITORY_BYTES} bytes`);
    const blobs = await readBlobs(
      store,
      files.map(({ id }) => id),
      MAX_REPOSITORY_BYTES,
    );
    return files.map(({ path, id, mode }) => ({
      path,
      mode: mode === '100755' ? '100755' : '100644',
      content: blobs.get(id) ?? Buffer.alloc(0),
    }));
  } finally {
    await Promise.all([dir, `${dir}-sha256`].map(removeFolder));
  }
}
