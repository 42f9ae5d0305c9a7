import type { HiddenTestEdits } from '../../gates/core/hidden-tests-result.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import {
  decodeHiddenTestFile,
  HiddenTests as HiddenForm,
  invalidHiddenTestPathReason,
  MAX_HIDDEN_TEST_FILES,
} from '../../shared/contract/submission/hidden-tests.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import { type GitTreeEdit, writeBlob } from '../../workspace/git/edit-tree.ts';
import { fetchAdditionalRef } from '../../workspace/git/fetch-commits.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { isRegularFile, listFiles } from '../../workspace/git/list-files.ts';
import type { ContainerContext } from '../../workspace/supervisor/container.ts';
import { downloadVerified } from '../../workspace/supervisor/verified-download.ts';

/**
 * The hidden tests of the task as blobs of the store; null when it has none.
 * @throws CheckoutError when they cannot be had. Its message goes to the next attempt: it says nothing of what they are, or where.
 */
export async function loadHiddenTests(
  store: GitStore,
  { hidden_tests: place }: Pick<GatesAssignment, 'hidden_tests'>,
  box: Pick<ContainerContext, 'embedded'>,
): Promise<HiddenTestEdits | null> {
  if (!place) return null;
  const text = await downloadVerified({ ...place, most: place.bytes }, (_why, detail) => {
    console.error(`the hidden tests: the object ${detail}`);
    return unusable('cannot be read any more');
  });
  const handed = HiddenForm.safeParse(JSON.parse(text.toString('utf8')));
  if (!handed.success) throw unusable('are not in a form that this version knows');
  return handed.data.kind === 'files'
    ? blobsOf(store, handed.data.files)
    : filesOf(store, handed.data, place.read_credential, box.embedded);
}

const unusable = (why: string): CheckoutError =>
  new CheckoutError('config_invalid', `the hidden tests of this task ${why}`);

type Handed = ReturnType<typeof HiddenForm.parse>;

async function blobsOf(
  store: GitStore,
  files: Extract<Handed, { kind: 'files' }>['files'],
): Promise<HiddenTestEdits> {
  const edits: GitTreeEdit[] = [];
  // One after the other: a process each, on a machine that has just begun to check out.
  for (const file of files)
    edits.push({
      path: file.path,
      entry: {
        id: await writeBlob(store, decodeHiddenTestFile(file)),
        mode: file.executable ? '100755' : '100644',
      },
    });
  return edits;
}

/** The files of a folder of another repository, as its ref stands now. */
async function filesOf(
  store: GitStore,
  { repository, ref, folder }: Extract<Handed, { kind: 'git' }>,
  authorization: string | null,
  allowFile: boolean,
): Promise<GitTreeEdit[]> {
  const commit = await fetchAdditionalRef(store, { url: repository, ref, authorization, allowFile });
  if (commit === null) throw unusable('cannot be fetched from their repository');
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
  return files.map(({ path, id, mode }) => ({ path, entry: { id, mode } }));
}
