import { encodePath } from '../../../workspace/git/path-encoding.ts';
import type { Language } from '../../core/language.ts';
import type { ProjectFiles, RevisionPaths } from '../../core/project-files.ts';
import { languageOfPath } from '../../languages/languages.ts';

/** Most folders of one language that the tools of one gate run in. */
export const MAX_TOOL_FOLDERS = 5;

/** What the language's own package manager reads. */
const MANIFEST: Readonly<Record<Language, readonly string[]>> = {
  python: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile'],
  javascript: ['package.json'],
  go: ['go.mod'],
  rust: ['Cargo.toml'],
};

/** Folders that a tool may run in for some changed files, the one that is preferred first. '' is the top. */
export interface ToolFolderCandidates {
  readonly candidates: readonly string[];
  /** Where a tool runs that nobody configured. */
  readonly defaultFolder: string;
}

/**
 * Where the tools of a language look at a patch, each place once.
 * - Tools of Python and JavaScript walk through sub-folders: the outermost folder with a manifest comes first.
 * - Those of Go and Rust stop at the next manifest: the nearest one counts, or the workspace that it belongs to. A manifest that
 *   the patch adds, and that commands see, counts here too: it takes code out of the sight of the others.
 */
export async function listToolFolders(
  project: Omit<ProjectFiles, 'revisionPaths'>,
  language: Language,
  layout: RevisionPaths,
): Promise<ToolFolderCandidates[]> {
  const touched = project.changedPaths.filter((path) => languageOfPath(path) === language);
  const places = new Map<string, ToolFolderCandidates>();
  const add = (place: ToolFolderCandidates): void => {
    places.set(JSON.stringify(place), place);
  };
  for (const folder of new Set((touched.length > 0 ? touched : project.changedPaths).map(folderOf))) {
    if (language === 'python' || language === 'javascript') {
      const inner = listFolderAncestors(folder).filter((each) => hasManifest(layout.base, each, language));
      if (inner.length > 0) add({ candidates: withTop(inner), defaultFolder: inner[0] ?? '' });
      else for (const each of elsewhere(layout, language, touched.length > 0)) add(only(each));
    } else {
      const near = [layout.base, layout.tree].flatMap((paths) => nearest(paths, folder, language) ?? []);
      for (const each of near) add(only(await workspaceOf(project, language, layout, each)));
      if (near.length === 0)
        for (const each of elsewhere(layout, language, touched.length > 0)) add(only(each));
    }
  }
  return [...places.values()].toSorted((a, b) => (a.defaultFolder < b.defaultFolder ? -1 : 1));
}

/** Files by the folder of the project that each is in: the outermost with a manifest, for Go and Rust the module or workspace. */
export async function groupFilesByProject(
  project: ProjectFiles,
  language: Language,
  files: readonly string[],
): Promise<Map<string, string[]>> {
  const layout = await project.revisionPaths();
  const found = new Map<string, string[]>();
  for (const path of files) {
    const inner = listFolderAncestors(folderOf(path)).filter((each) =>
      hasManifest(layout.base, each, language),
    );
    const walks = language === 'python' || language === 'javascript';
    const own = (walks ? inner[0] : inner.at(-1)) ?? '';
    const folder = await workspaceOf(project, language, layout, own);
    found.set(folder, [...(found.get(folder) ?? []), path]);
  }
  return found;
}

const only = (folder: string): ToolFolderCandidates => ({ candidates: [folder], defaultFolder: folder });
const withTop = (folders: readonly string[]): string[] => [...new Set(['', ...folders])];

/** Whether the base has a manifest of the language anywhere. */
export const hasAnyManifest = (layout: RevisionPaths, language: Language): boolean =>
  manifestsIn(layout, language).length > 0;

const manifestsIn = ({ base }: RevisionPaths, language: Language): string[] =>
  [...base].filter((path) => MANIFEST[language].includes(path.slice(path.lastIndexOf('/') + 1)));

/** Files of the language that no manifest is above are looked at from the top; where none was touched, every project counts. */
function elsewhere(layout: RevisionPaths, language: Language, touched: boolean): string[] {
  if (touched) return [''];
  const folders = new Set(manifestsIn(layout, language).map(folderOf));
  const outer = [...folders].filter(
    (folder) => !listFolderAncestors(folder).some((each) => each !== folder && folders.has(each)),
  );
  return outer.length > 0 ? outer : [''];
}

const nearest = (paths: ReadonlySet<string>, folder: string, language: Language): string | undefined =>
  listFolderAncestors(folder).findLast((each) => hasManifest(paths, each, language));

const hasManifest = (paths: ReadonlySet<string>, folder: string, language: Language): boolean =>
  MANIFEST[language].some((name) => paths.has(joinFolder(folder, name)));

/** The outermost workspace of Cargo that a crate is in, else the crate itself. */
async function workspaceOf(
  project: Pick<ProjectFiles, 'baseFile'>,
  language: Language,
  { base }: RevisionPaths,
  crate: string,
): Promise<string> {
  if (language !== 'rust') return crate;
  for (const folder of listFolderAncestors(crate)) {
    const manifest = joinFolder(folder, 'Cargo.toml');
    if (base.has(manifest) && /^[ \t]*\[workspace\b/m.test((await project.baseFile(manifest)) ?? ''))
      return folder;
  }
  return crate;
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));
export const joinFolder = (folder: string, name: string): string =>
  folder === '' ? name : `${folder}/${name}`;

/** A folder and all that it is in, outermost first; '' is the top. */
export function listFolderAncestors(folder: string): string[] {
  if (folder === '') return [''];
  const parts = folder.split('/');
  return ['', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))];
}

/** Start of a line for `bash -c` that runs the rest in a folder of the checkout, with the programs that the folders above have. */
export function buildEnterFolderLine(folder: string): string {
  const path = buildExportPathLine(folder);
  // 127 says that it could not run.
  return folder === '' ? path : `${path}cd -- ${quoted(folder)} || exit 127; `;
}

/** Line that puts the programs of a folder, and of those above it, first. */
export function buildExportPathLine(folder: string): string {
  const programs = listFolderAncestors(folder)
    .toReversed()
    .map((each) => `"$PWD"/${each === '' ? '' : `${quoted(each)}/`}node_modules/.bin:`);
  return `export PATH=${programs.join('')}"$PATH"; `;
}

/** A path as one word of bash, byte by byte where it is not plain. */
const quoted = (path: string): string =>
  `$'${[...encodePath(path)].map((byte) => (/[\w./-]/.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`)).join('')}'`;
