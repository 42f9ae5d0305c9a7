import { grammarOf, type Language } from '../../core/language.ts';
import type { Layout, ProjectFiles } from '../../core/project-files.ts';
import { go } from '../../languages/go/profile.ts';
import { javascript } from '../../languages/javascript/profile.ts';
import { languageOfPath, languagesFor } from '../../languages/languages.ts';
import { python } from '../../languages/python/profile.ts';
import { rust } from '../../languages/rust/profile.ts';
import { asks, type Profile, type Sign, type Tool, type ToolKind } from '../../languages/tool.ts';
import { above, inFolder, MAX_FOLDERS, type Place, placesOf } from './folders.ts';
import type { Profiles } from './settings.ts';
import { projectScript, SCRIPTS, type ScriptKind, scriptIn } from './tools.ts';

export const PROFILES: Readonly<Record<Language, Profile>> = { python, javascript, go, rust };

/** Most places for which a tool is looked for; see MAX_FOLDERS for those where one runs. */
const MAX_PLACES = 50;

export interface Chosen {
  readonly language: Language;
  readonly tool: Tool;
  /** Line that prepares the checkout; it runs in `folder`. */
  readonly setup: string | null;
  /** Folder of the checkout that the tool runs in; '' is the top. */
  readonly folder: string;
}

export interface Choice {
  readonly tools: readonly Chosen[];
  /** Folders that are too many to be looked at. */
  readonly beyond: readonly string[];
}

/**
 * The tools of each language that has something to look at, and the folders that they run in: the one that `profiles` names, else
 * the one that the base commit configures, else the default.
 * @param defaults false leaves out tools that nobody configured.
 * @throws when `profiles` names a tool that is not known.
 */
export async function chooseTools(
  project: ProjectFiles,
  kind: ToolKind,
  profiles: Profiles,
  defaults: boolean,
): Promise<Choice> {
  const layout = await project.layout();
  const tools: Chosen[] = [];
  const beyond: string[] = [];
  for (const language of await languagesFor(project)) {
    const settings = profiles[language];
    if (settings?.[kind] === 'none') continue;
    const all = PROFILES[language].tools.filter((tool) => tool.kind === kind);
    const setting = settings?.[kind] ? named(all, settings[kind], `profiles.${language}.${kind}`) : undefined;
    const look: Look = { project: inBase(project, layout), kind, tools: setting ? [setting] : all };
    const places = await placesOf(project, language, layout);
    const here = new Map<string, Chosen>();
    for (const place of places.slice(0, MAX_PLACES)) {
      const found =
        (await configuredIn(look, place, language, setting === undefined)) ??
        fallback(place, setting ?? (defaults ? all.find(({ byDefault }) => byDefault) : undefined));
      if (!found || (kind !== 'dep_audit' && !hasCode(layout, found.folder, language))) continue;
      const key = `${found.tool.name} ${found.folder}`;
      if (!here.has(key) && here.size >= MAX_FOLDERS) beyond.push(found.folder);
      else here.set(key, { ...found, language, setup: settings?.setup ?? null });
    }
    beyond.push(...places.slice(MAX_PLACES).map((place) => place.fallback));
    tools.push(...here.values());
  }
  return { tools, beyond };
}

/** Whether the top of the base commit configures a tool of some kind, or has a script of its own for it. */
export async function configures(
  project: Pick<ProjectFiles, 'baseFile'>,
  kind: ScriptKind,
): Promise<boolean> {
  if ((await projectScript(project, kind)) !== null) return true;
  const tools = Object.values(PROFILES).flatMap((profile) =>
    profile.tools.filter((tool) => tool.kind === kind),
  );
  return (await configured(project, tools)) !== undefined;
}

type Found = Pick<Chosen, 'tool' | 'folder'>;

const fallback = ({ fallback: folder }: Place, tool: Tool | undefined): Found | undefined =>
  tool && { tool, folder };

/** A project that the patch takes away has nothing to look at any more. That its tests are gone is for test_integrity to say. */
const hasCode = ({ tree }: Layout, folder: string, language: Language): boolean =>
  folder === '' ||
  [...tree].some(
    (path) => path.startsWith(`${folder}/`) && grammarOf(path) !== null && languageOfPath(path) === language,
  );

interface Look {
  readonly project: Pick<ProjectFiles, 'baseFile'>;
  readonly kind: ToolKind;
  readonly tools: readonly Tool[];
}

/** The first folder that configures a tool, or has a script of its own for it. */
async function configuredIn(
  { project, kind, tools }: Look,
  { folders }: Place,
  language: Language,
  scripts: boolean,
): Promise<Found | undefined> {
  for (const folder of folders) {
    const script =
      scripts && language === 'javascript' && folder !== '' ? await scriptTool(project, kind, folder) : null;
    if (script) return { tool: script, folder };
    // What stands in a folder counts in those below it, for tools that walk upwards to their configuration.
    const from = language === 'go' || language === 'rust' ? above(folder).toReversed() : [folder];
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
): Promise<Tool | null> {
  if (!(kind === 'lint' || kind === 'type_check' || kind === 'tests')) return null;
  const script = scriptIn(await project.baseFile(inFolder(folder, 'package.json')), SCRIPTS[kind]);
  if (script === null) return null;
  return {
    kind,
    name: 'npm',
    version: asks('npm'),
    get: 'install npm',
    line: `npm run --silent ${script}`,
    format: null,
    complains: [],
    signs: [],
    byDefault: false,
  };
}

/** Files of the base commit; most questions are for files that are not there, and are answered from the list. */
const inBase = (project: ProjectFiles, { base }: Layout): Pick<ProjectFiles, 'baseFile'> => ({
  baseFile: async (path) => (base.has(path) ? project.baseFile(path) : null),
});

function named(tools: readonly Tool[], name: string, key: string): Tool | undefined {
  if (name === 'none') return undefined;
  const tool = tools.find((each) => each.name === name);
  if (tool) return tool;
  throw new Error(`${key} is "${name}"; known: ${[...tools.map((each) => each.name), 'none'].join(', ')}`);
}

async function configured(
  project: Pick<ProjectFiles, 'baseFile'>,
  tools: readonly Tool[],
  folder = '',
): Promise<Tool | undefined> {
  for (const tool of tools) if (await hasSign(project, tool.signs, folder)) return tool;
  return undefined;
}

/** Whether one of the files that show that a project uses a tool is in a folder of the base. */
export async function hasSign(
  project: Pick<ProjectFiles, 'baseFile'>,
  signs: readonly Sign[],
  folder = '',
): Promise<boolean> {
  for (const sign of signs) if (await isSign(project, sign, folder)) return true;
  return false;
}

async function isSign(
  project: Pick<ProjectFiles, 'baseFile'>,
  { file, has }: Sign,
  folder: string,
): Promise<boolean> {
  const text = await project.baseFile(inFolder(folder, file));
  return text !== null && (has?.test(text) ?? true);
}
