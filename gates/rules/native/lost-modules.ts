import { readBlobs } from '../../checkout/edit.ts';
import { CheckoutError } from '../../checkout/error.ts';
import { isRegular, listFiles } from '../../checkout/list.ts';
import type { Seen } from '../../code/seen.ts';
import type { ChangedText } from '../../engine/changed-texts.ts';
import type { Subject } from '../../engine/subject.ts';
import { TooTangled } from './brackets.ts';
import { lex } from './lex.ts';
import { rustTests } from './rust.ts';

/** `mod name;`, with where its file is when that is said. */
const DECLARED = /(?:#\[\s{0,20}(path)\b[^\]\n]{0,400}\]\s{0,200})?\bmod\s{1,10}(\w{1,200})\s{0,10};/g;
/** Most bytes of modules that are read. */
const MAX_BYTES = 8 * 1_048_576;

/** Names of the modules that a text declares in files of their own, where such files are looked for. */
export const modulesIn = (text: string | null): Set<string> =>
  new Set(
    text === null
      ? []
      : [...lex('rust', text).code.matchAll(DECLARED)].flatMap(([, path, name]) =>
          path === undefined && name !== undefined ? [name] : [],
        ),
  );

/**
 * Tests of Rust whose file is still there, and no longer part of its crate, because the patch takes away the line that says so.
 */
export async function lostModules(
  { store, patched }: Pick<Subject, 'store' | 'patched'>,
  texts: readonly ChangedText[],
): Promise<Seen[]> {
  const sources = texts.filter(({ path, before }) => path.endsWith('.rs') && before !== null);
  const kept = new Set(sources.flatMap(({ after }) => [...modulesIn(after)]));
  const lost = sources.flatMap(({ path, before }) =>
    [...modulesIn(before)].filter((name) => !kept.has(name)).flatMap((name) => placesOf(path, name)),
  );
  if (lost.length === 0) return [];
  const files = (await listFiles(store, patched)).filter(
    (file) => isRegular(file) && lost.includes(file.path),
  );
  const blobs = await readBlobs(
    store,
    files.map(({ id }) => id),
    MAX_BYTES,
  ).catch((error: unknown) => {
    if (error instanceof CheckoutError) return new Map<string, Buffer>();
    throw error;
  });
  return files.flatMap(({ path, id }): Seen[] => {
    const cases = casesIn(path, blobs.get(id)?.toString('utf8') ?? '');
    if (cases === 0) return [];
    return [
      {
        file: path,
        line: null,
        rule: 'test_removed',
        message: `${cases} tests are no longer part of the crate: nothing names their file any more`,
        weight: 'fails',
      },
    ];
  });
}

function casesIn(path: string, text: string): number {
  try {
    return rustTests(path, text).cases.length;
  } catch (error) {
    // Nobody knows; that it is gone is told.
    if (error instanceof TooTangled) return 1;
    throw error;
  }
}

/** Where the file of a module may stand that another file declares. */
function placesOf(path: string, name: string): string[] {
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  const stem = path.slice(folder.length).replace(/\.rs$/, '');
  const inner = /^(?:lib|main|mod)$/.test(stem) ? folder : `${folder}${stem}/`;
  return [`${inner}${name}.rs`, `${inner}${name}/mod.rs`, `${folder}${name}.rs`];
}
