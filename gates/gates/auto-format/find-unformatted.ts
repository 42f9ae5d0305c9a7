import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { encodePath } from '../../../workspace/git/path-encoding.ts';
import { classifyProcessResult } from '../../../workspace/process/command-outcome.ts';
import type { PatchToCheck } from '../../core/patch-to-check.ts';
import { USE_LOCAL_PROGRAMS_LINE } from '../../tests/running/tool-version.ts';
import type { Formatter } from './formatters.ts';

/** Largest file that is looked at, in bytes: a command may have made a sparse one that takes hours to read. */
const MAX_BYTES = 64 * 1_048_576;

interface FormattingOptions {
  readonly files: readonly string[];
  readonly timeoutMs: number;
}

/**
 * Lets a formatter write the files in a checkout that is thrown away, and says which of them it changed: the same for every
 * formatter, and nobody's messages need to be understood.
 */
export async function findUnformattedFiles(
  { sandboxes, tree }: Pick<PatchToCheck, 'sandboxes' | 'tree'>,
  formatter: Formatter,
  { files, timeoutMs }: FormattingOptions,
): Promise<{ readonly changed: readonly string[]; readonly problem: string | null }> {
  const room = await sandboxes.createSandbox(tree);
  const given = await room.writePathList(files);
  const before = await digests(room.checkoutRoot, files);
  const list = `mapfile -d '' -t ASSAY_FILES < "$ASSAY_LIST"; set -- "\${ASSAY_FILES[@]}"; `;
  const ran = await room.run({ line: `${USE_LOCAL_PROGRAMS_LINE}${list}${formatter.command}` }, timeoutMs, {
    ASSAY_LIST: given,
  });
  const after = await digests(room.checkoutRoot, files);
  const { outcome, detail } = classifyProcessResult(ran);
  return {
    changed: files.filter((path) => after.get(path) !== before.get(path)),
    problem: outcome === 'passed' ? null : detail,
  };
}

async function digests(root: string, files: readonly string[]): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const path of files)
    found.set(path, await digest(Buffer.concat([Buffer.from(`${root}/`), encodePath(path)])));
  return found;
}

async function digest(path: Buffer): Promise<string> {
  try {
    // No link is followed: a formatter may be told to put one there.
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const { size } = await file.stat();
      if (size > MAX_BYTES) return `over ${MAX_BYTES} bytes`;
      const hash = createHash('sha256');
      await pipeline(file.createReadStream({ end: MAX_BYTES, autoClose: false }), hash);
      return hash.digest('hex');
    } finally {
      await file.close();
    }
  } catch {
    return 'unreadable';
  }
}
