import type * as z from 'zod';
import { Refusal } from '../../contract/refusal.ts';
import type {
  FileHistory,
  FileList,
  FileQuery,
  FilesQuery,
  FlaggedFiles,
} from '../../control/file-health/schemas.ts';
import { healthOfAll, historyView, listView, type TouchedFile } from '../../control/file-health/view.ts';
import type { FileStore } from '../../store/files.ts';

interface Deps {
  readonly files: Pick<FileStore, 'files' | 'file'>;
  /** Is the token good for this repository? */
  readonly serves: (repository: string) => boolean;
  readonly now: Date;
}

async function known(repository: string | undefined, { files, serves }: Deps) {
  const found = await files.files(repository);
  return { ...found, files: found.files.filter((each) => serves(each.repository)) };
}

export async function fileHealth(
  query: z.infer<typeof FilesQuery>,
  deps: Deps,
): Promise<z.infer<typeof FileList>> {
  const { files, truncated } = await known(query.repository, deps);
  return listView(files, query, truncated, deps.now);
}

export async function flaggedFiles(
  repository: string | undefined,
  deps: Deps,
): Promise<z.infer<typeof FlaggedFiles>> {
  const { files } = await known(repository, deps);
  const flagged = healthOfAll(files, deps.now).filter((each) => each.flagged);
  return { files: flagged, count: flagged.length, generated_at: deps.now.toISOString() };
}

const unknown = (path: string): Refusal => new Refusal('not_found', `nothing is known of the file ${path}`);

/** The file of that path; where no repository is named, it must be of one only. */
async function theFile({ repository, path }: z.infer<typeof FileQuery>, deps: Deps): Promise<TouchedFile> {
  if (repository !== undefined) {
    const file = deps.serves(repository) ? await deps.files.file(repository, path) : null;
    if (!file) throw unknown(path);
    return file;
  }
  const { files } = await known(undefined, deps);
  const [file, ...others] = files.filter((each) => each.path === path);
  if (!file) throw unknown(path);
  if (others.length > 0)
    throw new Refusal('invalid', 'several repositories have a file of this path', [
      { pointer: '?repository', message: 'is needed: several repositories have a file of this path' },
    ]);
  return file;
}

export const fileHistory = async (
  query: z.infer<typeof FileQuery>,
  deps: Deps,
): Promise<z.infer<typeof FileHistory>> => historyView(await theFile(query, deps), deps.now);
