import { describe, expect, it } from 'vitest';
import { BUILTIN_ROLE_NAMES, findBuiltinRole } from '../../../../shared/control/roles/builtin-role.ts';
import { parseRole } from '../../../../shared/control/roles/parse-role.ts';
import { findUnknownPlaceholders } from '../../../../shared/control/roles/render-prompt.ts';
import { MAX_ROLE_FILE_BYTES, type RoleFileName } from '../../../../shared/control/roles/role.ts';
import { routeTask } from '../../../../shared/control/routing/route-task.ts';
import { describeFileProblem } from '../../../../shared/lib/yaml.ts';
import { submission } from '../../../support/builders.ts';

const problems = (name: string, files: Partial<Record<RoleFileName, string>>): string[] => {
  const parsed = parseRole(name, `.assay/roles/${name}`, files);
  return 'problems' in parsed ? parsed.problems.map(describeFileProblem) : [];
};

describe('the built-in roles', () => {
  it('are those that tasks may name without a word in the repository', () => {
    expect(BUILTIN_ROLE_NAMES).toEqual(
      expect.arrayContaining(['manager', 'backend', 'frontend', 'qa', 'security', 'devops', 'docs']),
    );
  });

  it.each(BUILTIN_ROLE_NAMES)(
    '%s says how to work, and is what routing gives an ordinary task of it',
    (name) => {
      const role = findBuiltinRole(name);
      expect(role?.systemPrompt.length).toBeGreaterThan(200);
      expect(findUnknownPlaceholders(role?.taskPrompt ?? '{{NONE}}')).toEqual([]);
      expect(routeTask(submission({ role: name }))).toMatchObject({
        tier: role?.config.model,
        effort: role?.config.effort,
      });
    },
  );

  it('are no names of objects', () => {
    expect(findBuiltinRole('constructor')).toBeNull();
  });
});

describe('a role of a repository', () => {
  it('is its files, with defaults for what its settings leave out', () => {
    const parsed = parseRole('data', 'r', {
      'system_prompt.md': 'You move data.',
      'config.yaml': 'model: haiku\nlimits: { max_turns: 5 }\n',
    });
    expect(parsed).toMatchObject({
      role: {
        name: 'data',
        source: 'repository',
        systemPrompt: 'You move data.',
        config: { model: 'haiku', effort: 'high', max_tasks_per_session: 3, limits: { max_turns: 5 } },
      },
    });
  });

  it('may change a part of a built-in one', () => {
    expect(parseRole('qa', 'r', { 'system_prompt.md': 'Test it.' })).toMatchObject({
      role: { systemPrompt: 'Test it.', taskPrompt: findBuiltinRole('qa')?.taskPrompt },
    });
  });

  it.each<[string, string, Partial<Record<RoleFileName, string>>, string]>([
    ['no system prompt', 'data', {}, '.assay/roles/data/system_prompt.md: is missing or empty'],
    [
      'a field that is not known',
      'qa',
      { 'config.yaml': 'effort: high\nmodle: opus\n' },
      '.assay/roles/qa/config.yaml:2: modle is not a known field',
    ],
    [
      'a value that is none',
      'qa',
      { 'config.yaml': '# settings\nlimits:\n  max_turns: many\n' },
      '.assay/roles/qa/config.yaml:3: limits.max_turns: ',
    ],
    ['no YAML', 'qa', { 'config.yaml': 'a: 1\nb: [\n' }, '.assay/roles/qa/config.yaml:3: '],
    ['a list for settings', 'qa', { 'config.yaml': '- a\n' }, '.assay/roles/qa/config.yaml: the file: '],
    [
      'the same key twice',
      'qa',
      { 'config.yaml': 'effort: low\neffort: max\n' },
      '.assay/roles/qa/config.yaml:2: ',
    ],
    [
      'aliases that expand without an end',
      'qa',
      { 'config.yaml': 'a: &a [x,x]\nb: &b [*a,*a,*a]\nc: [*b,*b,*b]\n' },
      'has aliases',
    ],
    ['a tag', 'qa', { 'config.yaml': 'effort: !!js/function "x"\n' }, '.assay/roles/qa/config.yaml:1: '],
    [
      'a placeholder that nothing stands for',
      'qa',
      { 'task_prompt.md': '{{TASK_TITLE}}\n\n{{MODEL}}' },
      '.assay/roles/qa/task_prompt.md:3: nothing stands for {{MODEL}}',
    ],
    [
      'too much',
      'qa',
      { 'system_prompt.md': 'é'.repeat(MAX_ROLE_FILE_BYTES) },
      `.assay/roles/qa/system_prompt.md: has more than ${MAX_ROLE_FILE_BYTES} bytes`,
    ],
    ['a name that is none', 'Über', { 'system_prompt.md': 'x' }, '.assay/roles/Über: is no name of a role'],
  ])('is refused with file and line for %s', (_what, name, files, expected) => {
    expect(problems(name, files).join('\n')).toContain(expected);
  });
});
