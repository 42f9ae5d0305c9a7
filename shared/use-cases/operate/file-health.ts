import type * as z from 'zod';
import { Refusal } from '../../contract/refusal.ts';
import type {
  FileHealthList,
  FileHealthQuery,
  FileHistory,
  FileHistoryQuery,
  FlaggedFilesReport,
} from '../../control/file-health/file-health-schemas.ts';
import {
  buildFileHealthHistory,
  buildFileHealthList,
  buildFileHealthReports,
  type HealthTrackedFile,
} from '../../control/file-health/file-health-views.ts';
import type { FileHealthStore } from '../../store/file-health.ts';

interface FileHealthContext {
  readonly files: Pick<FileHealthStore, 'listFiles' | 'readFile'>;
  /** Is the token good for this repository? */
  readonly canAccess: (repository: string) => boolean;
  readonly now: Date;
}

async function listAccessibleFiles(repository: string | undefined, { files, canAccess }: FileHealthContext) {
  const found = await files.listFiles(repository);
  return { ...found, files: found.files.filter((each) => canAccess(each.repository)) };
}

export async function readFileHealth(
  query: z.infer<typeof FileHealthQuery>,
  deps: FileHealthContext,
): Promise<z.infer<typeof FileHealthList>> {
  const { files, truncated } = await listAccessibleFiles(query.repository, deps);
  return buildFileHealthList(files, query, truncated, deps.now);
}

export async function readFlaggedFiles(
  repository: string | undefined,
  deps: FileHealthContext,
): Promise<z.infer<typeof FlaggedFilesReport>> {
  const { files } = await listAccessibleFiles(repository, deps);
  const flagged = buildFileHealthReports(files, deps.now).filter((each) => each.flagged);
  return { files: flagged, count: flagged.length, generated_at: deps.now.toISOString() };
}

const unknown = (path: string): Refusal => new Refusal('not_found', `nothing is known of the file ${path}`);

/** The file of that path; where no repository is named, it must be of one only. */
async function requireFile(
  { repository, path }: z.infer<typeof FileHistoryQuery>,
  deps: FileHealthContext,
): Promise<HealthTrackedFile> {
  if (repository !== undefined) {
    const file = deps.canAccess(repository) ? await deps.files.readFile(repository, path) : null;
    if (!file) throw unknown(path);
    return file;
  }
  const { files } = await listAccessibleFiles(undefined, deps);
  const [file, ...others] = files.filter((each) => each.path === path);
  if (!file) throw unknown(path);
  if (others.length > 0)
    throw new Refusal('invalid', 'several repositories have a file of this path', [
      { pointer: '?repository', message: 'is needed: several repositories have a file of this path' },
    ]);
  return file;
}

export const readFileHistory = async (
  query: z.infer<typeof FileHistoryQuery>,
  deps: FileHealthContext,
): Promise<z.infer<typeof FileHistory>> => buildFileHealthHistory(await requireFile(query, deps), deps.now);
