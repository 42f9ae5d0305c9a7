import { posix } from 'node:path';
import { CheckoutError } from '../../../workspace/git/checkout-error.ts';
import { readBlobs } from '../../../workspace/git/read-blobs.ts';
import type { GateFinding } from '../../core/gate-finding.ts';
import type { PatchView } from '../framework/rule.ts';

/** Longest target, in bytes: no system follows a longer one. */
const MAX_TARGET = 4_096;
/** Most links that are looked at. */
const MAX_LINKS = 1_000;

/** Links of the patch that lead out of the tree, or into git's own folder: what they show is not what was checked. */
export async function findEscapingSymlinks({
  store,
  changes,
}: Pick<PatchView, 'store' | 'changes'>): Promise<GateFinding[]> {
  const links = changes
    .flatMap(({ path, baseEntry, headEntry }) =>
      headEntry?.mode === '120000' && (baseEntry?.mode !== '120000' || baseEntry.id !== headEntry.id)
        ? [{ path, id: headEntry.id }]
        : [],
    )
    .slice(0, MAX_LINKS);
  if (links.length === 0) return [];
  const targets = await readBlobs(
    store,
    links.map(({ id }) => id),
    MAX_LINKS * MAX_TARGET,
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return null;
    throw error;
  });
  return links.flatMap(({ path, id }): GateFinding[] => {
    const target = targets?.get(id)?.toString('utf8') ?? null;
    if (target !== null && !leadsOut(path, target)) return [];
    return [
      {
        file: path,
        line: null,
        rule: 'link_leads_out',
        message: `is a link to ${target?.slice(0, 200) ?? 'a place that cannot be read'}, which is not in the tree`,
        severity: 'fails',
      },
    ];
  });
}

function leadsOut(path: string, target: string): boolean {
  if (target.length > MAX_TARGET || /^(?:[/\\]|[A-Za-z]:)/.test(target)) return true;
  const [first = ''] = posix.join(posix.dirname(path), target).split('/');
  return first === '..' || first.toLowerCase() === '.git';
}
