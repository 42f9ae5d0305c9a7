import { MAX_CONFIG_BYTES } from '../../gates/core/configuration-file.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import {
  DEFAULT_TOOLCHAIN_IMAGE,
  REPOSITORY_CONFIG_FILE,
} from '../../shared/contract/submission/toolchain-image.ts';
import { CheckoutError } from '../../workspace/git/checkout-error.ts';
import type { GitStore } from '../../workspace/git/git-store.ts';
import { readFileOfTree } from '../../workspace/git/tree-folder.ts';

/**
 * This box was started from the image that the base was read to ask for, or from the usual one where it could not be read. Now it can.
 * @throws CheckoutError when the base asks for another one: what another toolchain finds says nothing.
 */
export async function checkToolchainImage(
  store: GitStore,
  { base_commit, image = DEFAULT_TOOLCHAIN_IMAGE }: GatesAssignment,
): Promise<void> {
  const file = await readFileOfTree(store, base_commit, REPOSITORY_CONFIG_FILE, MAX_CONFIG_BYTES).catch(
    () => null,
  );
  const text = file?.regular ? file.content.toString('utf8') : null;
  // Most configurations name none, and the parser takes a while to load.
  if (image === DEFAULT_TOOLCHAIN_IMAGE && !text?.includes('image')) return;
  const { parseRequestedToolchainImage } = await import(
    '../../shared/contract/submission/requested-image.ts'
  );
  const wanted = parseRequestedToolchainImage(text);
  if (wanted !== image)
    throw new CheckoutError(
      'config_invalid',
      `${REPOSITORY_CONFIG_FILE} names the image "${wanted}", and this box is of "${image}": the repository's server lets no single files be read before`,
    );
}
