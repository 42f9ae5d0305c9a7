import { describe, expect, test } from 'vitest';
import { javascriptProfile } from '../../../../gates/languages/javascript/profile.ts';
import type { LanguageProfile } from '../../../../gates/languages/language-tool.ts';
import { pythonProfile } from '../../../../gates/languages/python/profile.ts';
import { restrictToolToFiles, selectToolInputFiles } from '../../../../gates/tests/running/tool-files.ts';
import type { FileChange } from '../../../../workspace/git/file-changes.ts';

const entry = { id: 'a'.repeat(40), mode: '100644' };
const changed = (path: string, of: Partial<FileChange> = {}): FileChange =>
  ({ path, previousPath: null, baseEntry: entry, headEntry: entry, ...of }) as FileChange;

const toolOf = ({ tools, language }: LanguageProfile, name: string, folder = '') => {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return { tool, language, folder };
};
const ruff = toolOf(pythonProfile, 'ruff');

describe('the files that a linter is given', () => {
  test('are those that the patch writes, as each side calls them', () => {
    const moved = changed('b.py', { previousPath: 'old.py' });
    const added = changed('new.py', { baseEntry: null });
    const gone = changed('gone.py', { headEntry: null });
    expect(selectToolInputFiles(ruff, [changed('a.py'), moved, added, gone, changed('README.md')])).toEqual({
      patchPaths: ['a.py', 'b.py', 'new.py'],
      basePaths: ['a.py', 'old.py'],
    });
  });

  test('are those of its folder, named from there', () => {
    const inApi = toolOf(pythonProfile, 'ruff', 'api');
    expect(selectToolInputFiles(inApi, [changed('api/a.py'), changed('web/b.py')])?.patchPaths).toEqual([
      'a.py',
    ]);
  });

  test.each<[string, ReturnType<typeof toolOf>, readonly FileChange[]]>([
    ['the patch writes none', ruff, [changed('README.md')]],
    ['one has a name that no line holds', ruff, [changed('a\nb.py')]],
    ['one looks like an option', ruff, [changed('-a.py')]],
    ['there are too many', ruff, Array.from({ length: 500 }, (_, at) => changed(`a${at}.py`))],
    ['one is code of others', ruff, [changed('a.py'), changed('vendor/b.py')]],
    [
      'one is looked at only by some configurations',
      toolOf(javascriptProfile, 'eslint'),
      [changed('a.js'), changed('b.ts')],
    ],
    ['the tool looks at the project as a whole', toolOf(pythonProfile, 'mypy'), [changed('a.py')]],
  ])('are all of the project where %s', (_, chosen, changes) => {
    expect(selectToolInputFiles(chosen, changes)).toBeNull();
  });

  test('stand in its line as they are called', () => {
    expect(restrictToolToFiles(ruff.tool, ['a.py', "it's $(b).py"]).line).toContain(
      String.raw`"$REPORT" 'a.py' 'it'\''s $(b).py'`,
    );
    expect(restrictToolToFiles(ruff.tool, []).line).toBe(ruff.tool.line);
    expect(restrictToolToFiles(ruff.tool, null).line).toBe(ruff.tool.line);
  });
});
