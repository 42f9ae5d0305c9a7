import { RoleConfig, RoleName } from '../../contract/roles/schema.ts';
import { type FileProblem, parseYaml } from '../../lib/yaml.ts';
import { findBuiltinRole } from './builtin-role.ts';
import { findUnknownPlaceholders } from './render-prompt.ts';
import { MAX_ROLE_FILE_BYTES, ROLE_FILES, type Role, type RoleFileName } from './role.ts';

const DEFAULT_TASK_PROMPT = '# {{TASK_TITLE}}\n\n{{TASK_DESCRIPTION}}\n';

const templateProblems = (template: string, file: string): FileProblem[] =>
  findUnknownPlaceholders(template).map(({ name, line }) => ({
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
  files: Readonly<Partial<Record<RoleFileName, string>>>,
): { readonly role: Role } | { readonly problems: readonly FileProblem[] } {
  const at = (file: string): string => `${folder}/${file}`;
  const builtin = findBuiltinRole(name);
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
