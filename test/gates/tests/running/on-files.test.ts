import { describe, expect, test } from 'vitest';
import { javascript } from '../../../../gates/languages/javascript/profile.ts';
import { python } from '../../../../gates/languages/python/profile.ts';
import type { Profile } from '../../../../gates/languages/tool.ts';
import { filesFor, withFiles } from '../../../../gates/tests/running/on-files.ts';
import type { Change } from '../../../../workspace/git/changes.ts';

const entry = { id: 'a'.repeat(40), mode: '100644' };
const changed = (path: string, of: Partial<Change> = {}): Change =>
  ({ path, from: null, base: entry, head: entry, ...of }) as Change;

const toolOf = ({ tools, language }: Profile, name: string, folder = '') => {
  const tool = tools.find((each) => each.name === name);
  if (!tool) throw new Error(`there is no ${name}`);
  return { tool, language, folder };
};
const ruff = toolOf(python, 'ruff');

describe('the files that a linter is given', () => {
  test('are those that the patch writes, as each side calls them', () => {
    const moved = changed('b.py', { from: 'old.py' });
    const added = changed('new.py', { base: null });
    const gone = changed('gone.py', { head: null });
    expect(filesFor(ruff, [changed('a.py'), moved, added, gone, changed('README.md')])).toEqual({
      patched: ['a.py', 'b.py', 'new.py'],
      base: ['a.py', 'old.py'],
    });
  });

  test('are those of its folder, named from there', () => {
    const inApi = toolOf(python, 'ruff', 'api');
    expect(filesFor(inApi, [changed('api/a.py'), changed('web/b.py')])?.patched).toEqual(['a.py']);
  });

  test.each<[string, ReturnType<typeof toolOf>, readonly Change[]]>([
    ['the patch writes none', ruff, [changed('README.md')]],
    ['one has a name that no line holds', ruff, [changed('a\nb.py')]],
    ['one looks like an option', ruff, [changed('-a.py')]],
    ['there are too many', ruff, Array.from({ length: 500 }, (_, at) => changed(`a${at}.py`))],
    ['one is code of others', ruff, [changed('a.py'), changed('vendor/b.py')]],
    [
      'one is looked at only by some configurations',
      toolOf(javascript, 'eslint'),
      [changed('a.js'), changed('b.ts')],
    ],
    ['the tool looks at the project as a whole', toolOf(python, 'mypy'), [changed('a.py')]],
  ])('are all of the project where %s', (_, chosen, changes) => {
    expect(filesFor(chosen, changes)).toBeNull();
  });

  test('stand in its line as they are called', () => {
    expect(withFiles(ruff.tool, ['a.py', "it's $(b).py"]).line).toContain(
      String.raw`"$REPORT" 'a.py' 'it'\''s $(b).py'`,
    );
    expect(withFiles(ruff.tool, []).line).toBe(ruff.tool.line);
    expect(withFiles(ruff.tool, null).line).toBe(ruff.tool.line);
  });
});
