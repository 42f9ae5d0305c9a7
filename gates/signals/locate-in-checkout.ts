import { realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { decodePath, encodePath } from '../../workspace/git/path-encoding.ts';

export type CheckoutPathResult =
  | { readonly kind: 'found'; readonly path: string }
  | { readonly kind: 'missing' }
  | { readonly kind: 'leaves' };

/**
 * Finds a path inside a checkout with every symbolic link resolved. A link that leads out of the checkout, or into its
 * `.git`, is not followed.
 * @param root real path of the checkout.
 */
export async function locateInCheckout(root: string, path: string): Promise<CheckoutPathResult> {
  let real: string;
  try {
    real = decodePath(await realpath(encodePath(join(root, path)), { encoding: 'buffer' }));
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    // ELOOP: links in a circle; ENAMETOOLONG: no such file can exist; EACCES: we may not look, so we have not seen it.
    if (code && ['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG', 'EACCES', 'EINVAL'].includes(code))
      return { kind: 'missing' };
    throw error;
  }
  return isInside(root, real) ? { kind: 'found', path: real } : { kind: 'leaves' };
}

/** True for the checkout itself and everything under it except its `.git`. Both paths must be real paths. */
function isInside(root: string, real: string): boolean {
  if (real === root) return true;
  const inner = relative(root, real).split(sep);
  return inner[0] !== '..' && inner[0] !== '' && inner[0]?.toLowerCase() !== '.git';
}
