import { MAX_CONFIG_BYTES } from '../../gates/core/configuration-file.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { REPOSITORY_CONFIG_FILE, DEFAULT_TOOLCHAIN_IMAGE } from '../../shared/contract/submission/image.ts';
import { CheckoutError } from '../../workspace/git/error.ts';
import { readFileAt } from '../../workspace/git/folder.ts';
import type { GitStore } from '../../workspace/git/store.ts';

/**
 * This box was started from the image that the base was read to ask for, or from the usual one where it could not be read. Now it can.
 * @throws CheckoutError when the base asks for another one: what another toolchain finds says nothing.
 */
export async function checkToolchain(
  store: GitStore,
  { base_commit, image = DEFAULT_TOOLCHAIN_IMAGE }: GatesAssignment,
): Promise<void> {
  const file = await readFileAt(store, base_commit, REPOSITORY_CONFIG_FILE, MAX_CONFIG_BYTES).catch(() => null);
  const text = file?.regular ? file.content.toString('utf8') : null;
  // Most configurations name none, and the parser takes a while to load.
  if (image === DEFAULT_TOOLCHAIN_IMAGE && !text?.includes('image')) return;
  const { readRequestedImage } = await import('../../shared/contract/submission/image-named.ts');
  const wanted = readRequestedImage(text);
  if (wanted !== image)
    throw new CheckoutError(
      'config_invalid',
      `${REPOSITORY_CONFIG_FILE} names the image "${wanted}", and this box is of "${image}": the repository's server lets no single files be read before`,
    );
}
