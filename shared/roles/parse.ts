import { LineCounter, parseDocument } from 'yaml';
import type * as z from 'zod';
import { builtinRole } from './known.ts';
import { unknownPlaceholders } from './render.ts';
import { MAX_ROLE_FILE_BYTES, ROLE_FILES, type Role, type RoleFile } from './role.ts';
import { RoleConfig, RoleName } from './schema.ts';

/** What is wrong with a file, and where: `line` is 1-based, null for the file as a whole. */
export interface FileProblem {
  readonly file: string;
  readonly line: number | null;
  readonly message: string;
}

export const describeProblem = ({ file, line, message }: FileProblem): string =>
  `${file}${line === null ? '' : `:${line}`}: ${message}`;

const DEFAULT_TASK_PROMPT = '# {{TASK_TITLE}}\n\n{{TASK_DESCRIPTION}}\n';

/**
 * YAML of somebody else, checked against `schema`. Aliases are refused: a few of them expand without an end. So are tags that a parser
 * may act upon, and keys given twice.
 */
export function parseYaml<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
): { readonly value: z.output<Schema> } | { readonly problems: readonly FileProblem[] } {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    version: '1.2',
    schema: 'core',
  });
  const faults = [...document.errors, ...document.warnings].map((error) => ({
    file,
    line: lines.linePos(error.pos[0]).line,
    message: error.message.split('\n')[0] ?? 'is not YAML',
  }));
  if (faults.length > 0) return { problems: faults };
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    return { problems: [{ file, line: null, message: 'has aliases, which are not read' }] };
  }
  const result = schema.safeParse(value);
  if (result.success) return { value: result.data };
  const lineAt = (path: readonly PropertyKey[]): number | null => {
    for (let length = path.length; length > 0; length--) {
      const node = document.getIn(path.slice(0, length), true) as { range?: readonly number[] } | undefined;
      if (node?.range?.[0] !== undefined) return lines.linePos(node.range[0]).line;
    }
    return null;
  };
  return {
    problems: result.error.issues.flatMap((issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => ({
            file,
            line: lineAt([...issue.path, key]),
            message: `${[...issue.path, key].join('.')} is not a known field`,
          }))
        : [
            {
              file,
              line: lineAt(issue.path),
              message: `${issue.path.join('.') || 'the file'}: ${issue.message}`,
            },
          ],
    ),
  };
}

const templateProblems = (template: string, file: string): FileProblem[] =>
  unknownPlaceholders(template).map(({ name, line }) => ({
    file,
    line,
    message: `nothing stands for {{${name}}}`,
  }));

/**
 * A role from the files of its folder. What the folder lacks is that of the built-in role of the same name; a new role needs its
 * system prompt. `folder` is put before the names of files in what is said of them.
 */
export function parseRole(
  name: string,
  folder: string,
  files: Readonly<Partial<Record<RoleFile, string>>>,
): { readonly role: Role } | { readonly problems: readonly FileProblem[] } {
  const at = (file: string): string => `${folder}/${file}`;
  const builtin = builtinRole(name);
  const problems: FileProblem[] = [];
  if (!RoleName.safeParse(name).success || name === 'auto')
    problems.push({
      file: folder,
      line: null,
      message:
        'is no name of a role: 1 to 32 lower-case letters, digits or "-", starting with a letter, and not auto',
    });
  for (const [file, text] of Object.entries(files))
    if (Buffer.byteLength(text) > MAX_ROLE_FILE_BYTES)
      problems.push({ file: at(file), line: null, message: `has more than ${MAX_ROLE_FILE_BYTES} bytes` });
  if (problems.length > 0) return { problems };
  const systemPrompt = files[ROLE_FILES.system] ?? builtin?.systemPrompt ?? '';
  const taskPrompt = files[ROLE_FILES.task] ?? builtin?.taskPrompt ?? DEFAULT_TASK_PROMPT;
  const written = files[ROLE_FILES.config];
  const parsed =
    written === undefined
      ? { value: builtin?.config ?? RoleConfig.parse({}) }
      : parseYaml(written, at(ROLE_FILES.config), RoleConfig);
  if (systemPrompt.trim() === '')
    problems.push({ file: at(ROLE_FILES.system), line: null, message: 'is missing or empty' });
  problems.push(...templateProblems(taskPrompt, at(ROLE_FILES.task)));
  if ('problems' in parsed) return { problems: [...problems, ...parsed.problems] };
  return problems.length > 0
    ? { problems }
    : { role: { name, systemPrompt, taskPrompt, config: parsed.value, source: 'repository' } };
}
