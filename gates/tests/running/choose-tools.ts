import { grammarOfPath, type Language } from '../../core/language.ts';
import type { ProjectFiles, RevisionPaths } from '../../core/project-files.ts';
import { goProfile } from '../../languages/go/profile.ts';
import { javascriptProfile } from '../../languages/javascript/profile.ts';
import {
  buildVersionCommand,
  type LanguageProfile,
  type LanguageTool,
  type ToolKind,
  type ToolUsageMarker,
} from '../../languages/language-tool.ts';
import { languageOfPath, selectLanguages } from '../../languages/languages.ts';
import { pythonProfile } from '../../languages/python/profile.ts';
import { rustProfile } from '../../languages/rust/profile.ts';
import {
  findProjectScript,
  findScriptName,
  PROJECT_SCRIPT_NAMES,
  type ProjectScriptKind,
} from './project-scripts.ts';
import {
  joinFolder,
  listFolderAncestors,
  listToolFolders,
  MAX_TOOL_FOLDERS,
  type ToolFolderCandidates,
} from './tool-folders.ts';
import type { ToolProfilesSetting } from './tool-profile-settings.ts';

export const LANGUAGE_PROFILES: Readonly<Record<Language, LanguageProfile>> = {
  python: pythonProfile,
  javascript: javascriptProfile,
  go: goProfile,
  rust: rustProfile,
};

/** Most places for which a tool is looked for; see MAX_FOLDERS for those where one runs. */
const MAX_PLACES = 50;

export interface PlannedToolRun {
  readonly language: Language;
  readonly tool: LanguageTool;
  /** Folder of the checkout that the tool runs in; '' is the top. */
  readonly folder: string;
}

export interface LanguageToolSelection {
  readonly tools: readonly PlannedToolRun[];
  /** Folders that are too many to be looked at. */
  readonly uncheckedFolders: readonly string[];
  /** Folders of packages that depend on what the patch changes, and that are too many to be tested; absent: none. */
  readonly untestedDependents?: readonly string[];
}

/**
 * The tools of each language that has something to look at, and the folders that they run in: the one that `profiles` names, else
 * the one that the base commit configures, else the default.
 * @param defaults false leaves out tools that nobody configured.
 * @throws when `profiles` names a tool that is not known.
 */
export async function selectLanguageTools(
  project: ProjectFiles,
  kind: ToolKind,
  profiles: ToolProfilesSetting,
  defaults: boolean,
): Promise<LanguageToolSelection> {
  const layout = await project.revisionPaths();
  const tools: PlannedToolRun[] = [];
  const beyond: string[] = [];
  const untestedDependents: string[] = [];
  for (const language of await selectLanguages(project)) {
    const settings = profiles[language];
    if (settings?.[kind] === 'none') continue;
    const all = LANGUAGE_PROFILES[language].tools.filter((tool) => tool.kind === kind);
    const setting = settings?.[kind]
      ? findNamedTool(all, settings[kind], `profiles.${language}.${kind}`)
      : undefined;
    const look: ToolSearch = { project: inBase(project, layout), kind, tools: setting ? [setting] : all };
    const places = await listToolFolders(project, language, layout);
    const ofDependents = kind === 'tests' ? await listPlacesOfDependents(project, language, layout) : [];
    const here = new Map<string, PlannedToolRun>();
    for (const place of places.slice(0, MAX_PLACES)) {
      const found =
        (await configuredIn(look, place, language, setting === undefined)) ??
        fallback(place, setting ?? (defaults ? all.find(({ isDefault }) => isDefault) : undefined));
      if (!found || (kind !== 'dep_audit' && !hasCode(layout, found.folder, language))) continue;
      const key = `${found.tool.name} ${found.folder}`;
      if (!here.has(key) && here.size >= MAX_TOOL_FOLDERS) beyond.push(found.folder);
      else here.set(key, { ...found, language });
    }
    for (const place of ofDependents) {
      const found = await configuredIn(look, place, language, setting === undefined);
      const key = found && `${found.tool.name} ${found.folder}`;
      if (!key || here.has(key)) continue;
      if (here.size < MAX_TOOL_FOLDERS) here.set(key, { ...found, language });
      else untestedDependents.push(found.folder);
    }
    beyond.push(...places.slice(MAX_PLACES).map((place) => place.defaultFolder));
    for (const chosen of here.values()) tools.push(await narrowToCrates(project, kind, chosen));
  }
  return { tools, uncheckedFolders: beyond, untestedDependents: [...new Set(untestedDependents)] };
}

/** Where the tests of packages lie that depend on those the patch touches. */
async function listPlacesOfDependents(
  project: ProjectFiles,
  language: Language,
  layout: RevisionPaths,
): Promise<ToolFolderCandidates[]> {
  if (language === 'rust') return [];
  const { listDependentManifests } = await import('./workspace-dependents.ts');
  const manifests = await listDependentManifests(project, language);
  const asTouched = { changedPaths: manifests, baseFile: project.baseFile };
  return manifests.length === 0 ? [] : listToolFolders(asTouched, language, layout);
}

/** In a workspace of Cargo, tests are run for the crates that the patch can affect: by itself Cargo takes the crate at the top. */
async function narrowToCrates(
  project: ProjectFiles,
  kind: ToolKind,
  chosen: PlannedToolRun,
): Promise<PlannedToolRun> {
  if (kind !== 'tests' || chosen.language !== 'rust') return chosen;
  const { listUnaffectedCrates } = await import('./workspace-dependents.ts');
  const unaffected = await listUnaffectedCrates(project, chosen.folder);
  if (unaffected === null) return chosen;
  const excluded = unaffected.filter((name) => /^[\w-]+$/.test(name)).map((name) => `--exclude ${name}`);
  const options = ['--workspace', ...excluded].join(' ');
  const line = chosen.tool.line.replaceAll('cargo test --quiet', `cargo test --quiet ${options}`);
  return { ...chosen, tool: { ...chosen.tool, line } };
}

/** Whether the top of the base commit configures a tool of some kind, or has a script of its own for it. */
export async function isToolConfigured(
  project: Pick<ProjectFiles, 'baseFile'>,
  kind: ProjectScriptKind,
): Promise<boolean> {
  if ((await findProjectScript(project, kind)) !== null) return true;
  const tools = Object.values(LANGUAGE_PROFILES).flatMap((profile) =>
    profile.tools.filter((tool) => tool.kind === kind),
  );
  return (await configured(project, tools)) !== undefined;
}

type ToolInFolder = Pick<PlannedToolRun, 'tool' | 'folder'>;

const fallback = (
  { defaultFolder: folder }: ToolFolderCandidates,
  tool: LanguageTool | undefined,
): ToolInFolder | undefined => tool && { tool, folder };

/** A project that the patch takes away has nothing to look at any more. That its tests are gone is for test_integrity to say. */
const hasCode = ({ tree }: RevisionPaths, folder: string, language: Language): boolean =>
  folder === '' ||
  [...tree].some(
    (path) =>
      path.startsWith(`${folder}/`) && grammarOfPath(path) !== null && languageOfPath(path) === language,
  );

interface ToolSearch {
  readonly project: Pick<ProjectFiles, 'baseFile'>;
  readonly kind: ToolKind;
  readonly tools: readonly LanguageTool[];
}

/** The first folder that configures a tool, or has a script of its own for it. */
async function configuredIn(
  { project, kind, tools }: ToolSearch,
  { candidates }: ToolFolderCandidates,
  language: Language,
  scripts: boolean,
): Promise<ToolInFolder | undefined> {
  for (const folder of candidates) {
    const script =
      scripts && language === 'javascript' && folder !== '' ? await scriptTool(project, kind, folder) : null;
    if (script) return { tool: script, folder };
    // What stands in a folder counts in those below it, for tools that walk upwards to their configuration.
    const from =
      language === 'go' || language === 'rust' ? listFolderAncestors(folder).toReversed() : [folder];
    for (const each of from) {
      const tool = await configured(project, tools, each);
      if (tool) return { tool, folder };
    }
  }
  return undefined;
}

/** The script of a package below the top; the one at the top is looked for before any tool. */
async function scriptTool(
  project: Pick<ProjectFiles, 'baseFile'>,
  kind: ToolKind,
  folder: string,
): Promise<LanguageTool | null> {
  if (!(kind === 'lint' || kind === 'type_check' || kind === 'tests')) return null;
  const script = findScriptName(
    await project.baseFile(joinFolder(folder, 'package.json')),
    PROJECT_SCRIPT_NAMES[kind],
  );
  if (script === null) return null;
  return {
    kind,
    name: 'npm',
    versionLine: buildVersionCommand('npm'),
    installHint: 'install npm',
    line: `npm run --silent ${script}`,
    format: null,
    findingExitCodes: [],
    signs: [],
    isDefault: false,
  };
}

/** Files of the base commit; most questions are for files that are not there, and are answered from the list. */
const inBase = (project: ProjectFiles, { base }: RevisionPaths): Pick<ProjectFiles, 'baseFile'> => ({
  baseFile: async (path) => (base.has(path) ? project.baseFile(path) : null),
});

function findNamedTool(tools: readonly LanguageTool[], name: string, key: string): LanguageTool | undefined {
  if (name === 'none') return undefined;
  const tool = tools.find((each) => each.name === name);
  if (tool) return tool;
  throw new Error(`${key} is "${name}"; known: ${[...tools.map((each) => each.name), 'none'].join(', ')}`);
}

async function configured(
  project: Pick<ProjectFiles, 'baseFile'>,
  tools: readonly LanguageTool[],
  folder = '',
): Promise<LanguageTool | undefined> {
  for (const tool of tools) if (await hasToolMarkerFile(project, tool.signs, folder)) return tool;
  return undefined;
}

/** Whether one of the files that show that a project uses a tool is in a folder of the base. */
export async function hasToolMarkerFile(
  project: Pick<ProjectFiles, 'baseFile'>,
  signs: readonly ToolUsageMarker[],
  folder = '',
): Promise<boolean> {
  for (const sign of signs) if (await isSignPresent(project, sign, folder)) return true;
  return false;
}

async function isSignPresent(
  project: Pick<ProjectFiles, 'baseFile'>,
  { file, pattern }: ToolUsageMarker,
  folder: string,
): Promise<boolean> {
  const text = await project.baseFile(joinFolder(folder, file));
  return text !== null && (pattern?.test(text) ?? true);
}
