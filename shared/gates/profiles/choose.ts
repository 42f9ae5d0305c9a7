import type { Language } from '../../code/language.ts';
import type { Subject } from '../subject.ts';
import { go } from './go.ts';
import { javascript } from './javascript.ts';
import { LANGUAGES, languagesFor } from './languages.ts';
import { python } from './python.ts';
import { rust } from './rust.ts';
import type { Profiles } from './settings.ts';
import type { Profile, Sign, Tool, ToolKind } from './tool.ts';

export const PROFILES: Readonly<Record<Language, Profile>> = { python, javascript, go, rust };

export interface Chosen {
  readonly language: Language;
  readonly tool: Tool;
  /** Line that prepares the checkout. */
  readonly setup: string | null;
}

/**
 * The tool of each language that has something to look at: the one that `profiles` names, else the one that the base commit
 * configures, else the default.
 * @param defaults false leaves out tools that nobody configured.
 * @throws when `profiles` names a tool that is not known.
 */
export async function chooseTools(
  subject: Subject,
  kind: ToolKind,
  profiles: Profiles,
  defaults: boolean,
): Promise<Chosen[]> {
  const chosen: Chosen[] = [];
  for (const language of await languagesFor(subject)) {
    const settings = profiles[language];
    const tools = PROFILES[language].tools.filter((tool) => tool.kind === kind);
    const tool = settings?.[kind]
      ? named(tools, settings[kind], `profiles.${language}.${kind}`)
      : ((await configured(subject, tools)) ??
        (defaults ? tools.find(({ byDefault }) => byDefault) : undefined));
    if (tool) chosen.push({ language, tool, setup: settings?.setup ?? null });
  }
  return chosen;
}

const MANIFEST: Readonly<Record<Language, readonly Sign[]>> = {
  python: ['pyproject.toml', 'setup.py', 'setup.cfg', 'requirements.txt', 'Pipfile'].map((file) => ({
    file,
  })),
  javascript: [{ file: 'package.json' }],
  go: [{ file: 'go.mod' }],
  rust: [{ file: 'Cargo.toml' }],
};

/** Whether the base has what the language's own package manager reads. */
export const hasManifest = (project: Pick<Subject, 'baseFile'>, language: Language): Promise<boolean> =>
  firstSign(project, MANIFEST[language]);

/** The line of the first tool that a project of these files would get, for a list of the gates. */
export async function planTools(
  project: Pick<Subject, 'baseFile'>,
  kind: ToolKind,
  profiles: Profiles,
): Promise<{ readonly command: string } | null> {
  for (const language of LANGUAGES) {
    const tools = PROFILES[language].tools.filter((tool) => tool.kind === kind);
    const name = profiles[language]?.[kind];
    if (name === 'none') continue;
    const tool = name
      ? tools.find((each) => each.name === name)
      : ((await configured(project, tools)) ??
        ((await hasManifest(project, language)) ? tools.find(({ byDefault }) => byDefault) : undefined));
    if (tool) return { command: tool.line };
  }
  return null;
}

function named(tools: readonly Tool[], name: string, key: string): Tool | undefined {
  if (name === 'none') return undefined;
  const tool = tools.find((each) => each.name === name);
  if (tool) return tool;
  throw new Error(`${key} is "${name}"; known: ${[...tools.map((each) => each.name), 'none'].join(', ')}`);
}

async function configured(
  subject: Pick<Subject, 'baseFile'>,
  tools: readonly Tool[],
): Promise<Tool | undefined> {
  for (const tool of tools) if (await firstSign(subject, tool.signs)) return tool;
  return undefined;
}

async function firstSign(subject: Pick<Subject, 'baseFile'>, signs: readonly Sign[]): Promise<boolean> {
  for (const sign of signs) if (await isThere(subject, sign)) return true;
  return false;
}

async function isThere(subject: Pick<Subject, 'baseFile'>, { file, has }: Sign): Promise<boolean> {
  const text = await subject.baseFile(file);
  return text !== null && (has?.test(text) ?? true);
}
