import * as z from 'zod';
import { RoleConfig, RoleName } from '../../contract/roles/schema.ts';
import { type FileProblem, parseYaml } from '../../lib/yaml.ts';
import { findUnknownPlaceholders } from './render-prompt.ts';
import { MAX_ROLE_FILE_BYTES } from './role.ts';

/** Most entries of one catalog. */
export const MAX_CATALOG_ENTRIES = 200;

const CatalogEntryHead = RoleConfig.extend({
  name: RoleName.refine((name) => name !== 'auto', 'must not be auto'),
  task_prompt: z.string().min(1).optional(),
});
/** An agent of a catalog: a role in one file. In Markdown the system prompt is the text below the front matter. */
export const RoleCatalogEntry = CatalogEntryHead.extend({
  system_prompt: z.string().trim().min(1, 'must not be empty'),
});
export type RoleCatalogEntry = z.infer<typeof RoleCatalogEntry>;

/** A file of a catalog, as it was found. `text` is null for what is no plain file, or too large to be read. */
export interface CatalogFile {
  readonly name: string;
  readonly text: string | null;
  readonly unreadableReason?: string;
}

export interface RoleCatalog {
  readonly entries: readonly { readonly file: string; readonly entry: RoleCatalogEntry }[];
  readonly problems: readonly FileProblem[];
}

type CatalogEntryResult =
  | { readonly entry: RoleCatalogEntry }
  | { readonly problems: readonly FileProblem[] };

const FRONT_MATTER = /^---\r?\n([\s\S]*?)\r?\n---[ \t]*(?:\r?\n|$)/;

function parseMarkdownEntry(text: string, file: string): CatalogEntryResult {
  const front = FRONT_MATTER.exec(text.replace(/^\uFEFF/, ''));
  if (!front) return { problems: [{ file, line: 1, message: 'has no front matter between lines of ---' }] };
  const parsed = parseYaml(front[1] ?? '', file, CatalogEntryHead);
  if ('problems' in parsed)
    // The front matter begins on the second line of the file.
    return {
      problems: parsed.problems.map((each) => ({ ...each, line: each.line === null ? null : each.line + 1 })),
    };
  const system_prompt = text
    .replace(/^\uFEFF/, '')
    .slice(front[0].length)
    .trim();
  if (system_prompt === '')
    return {
      problems: [{ file, line: front[0].split('\n').length, message: 'has no text below its front matter' }],
    };
  return { entry: { ...parsed.value, system_prompt: `${system_prompt}\n` } };
}

function parseYamlEntry(text: string, file: string): CatalogEntryResult {
  const parsed = parseYaml(text, file, RoleCatalogEntry);
  return 'problems' in parsed
    ? parsed
    : { entry: { ...parsed.value, system_prompt: `${parsed.value.system_prompt}\n` } };
}

function parseCatalogFile({ name, text, unreadableReason }: CatalogFile): CatalogEntryResult {
  if (text === null)
    return { problems: [{ file: name, line: null, message: unreadableReason ?? 'cannot be read' }] };
  if (Buffer.byteLength(text) > MAX_ROLE_FILE_BYTES)
    return { problems: [{ file: name, line: null, message: `has more than ${MAX_ROLE_FILE_BYTES} bytes` }] };
  const read = name.endsWith('.md') ? parseMarkdownEntry(text, name) : parseYamlEntry(text, name);
  if ('problems' in read) return read;
  const [unknown] = findUnknownPlaceholders(read.entry.task_prompt ?? '');
  return unknown
    ? {
        problems: [
          { file: name, line: null, message: `task_prompt: nothing stands for {{${unknown.name}}}` },
        ],
      }
    : read;
}

/** Files that may hold an agent; others of a catalog, such as its README, are none of ours. */
export const isCatalogFile = (name: string): boolean =>
  /\.(?:ya?ml|md)$/.test(name) &&
  !/^(?:README|CHANGELOG|LICENSE|CONTRIBUTING)\b/i.test(name.split('/').at(-1) ?? '');

/** Reads a catalog. Everything that is wrong is said at once; two agents of one name are wrong. */
export function parseCatalog(files: readonly CatalogFile[]): RoleCatalog {
  const entries: { file: string; entry: RoleCatalogEntry }[] = [];
  const problems: FileProblem[] = [];
  if (files.length > MAX_CATALOG_ENTRIES)
    problems.push({
      file: '.',
      line: null,
      message: `has ${files.length} agents; ${MAX_CATALOG_ENTRIES} is the most`,
    });
  for (const file of files.slice(0, MAX_CATALOG_ENTRIES)) {
    const read = parseCatalogFile(file);
    if ('problems' in read) problems.push(...read.problems);
    else {
      const other = entries.find(({ entry }) => entry.name === read.entry.name);
      if (other)
        problems.push({
          file: file.name,
          line: null,
          message: `is named ${read.entry.name}, as ${other.file} is`,
        });
      else entries.push({ file: file.name, entry: read.entry });
    }
  }
  return { entries, problems };
}
