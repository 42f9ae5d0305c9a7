import { describe, expect, test } from 'vitest';
import { listCodeFiles } from '../../../gates/code/code-files.ts';
import { SyntaxTreeReader } from '../../../gates/code/syntax-reader.ts';
import { readThreadCpuMs } from '../../../workspace/process/cpu-time.ts';
import { createSubject } from '../../support/patch-fixture.ts';

const FUNCTION = 'def f(x):\n    return x\n';

/** Two gates that read the same patch. */
async function readers(files: Record<string, string>) {
  const { store, patched } = await createSubject(files, { 'more.txt': 'x' });
  const { code } = await listCodeFiles(store, patched);
  const reader = () => new SyntaxTreeReader(store, readThreadCpuMs() + 60_000);
  return { one: reader(), other: reader(), files: [...code.values()] };
}

describe('the trees of a patch', () => {
  test('are parsed once for all who ask, also at the same time', async () => {
    const { one, other, files } = await readers({ 'a.py': FUNCTION });
    const [file] = files;
    if (!file) throw new Error('there is no file');
    await Promise.all([one.prefetch(files), other.prefetch(files)]);
    const [first, second] = await Promise.all([one.readSyntax(file), other.readSyntax(file)]);
    expect(first?.type).toBe('module');
    expect(second).toBe(first);
    expect(await other.readSyntax(file)).toBe(first);
  });

  test('are let go of when there are too many, those first that nobody asked for the longest', async () => {
    const large = Object.fromEntries([1, 2, 3].map((at) => [`${at}.py`, `# ${at}${'x'.repeat(200_000)}\n`]));
    const { one, files } = await readers(large);
    const [a, b, c] = files;
    if (!a || !b || !c) throw new Error('there are not three files');
    const first = await one.readSyntax(a);
    const second = await one.readSyntax(b);
    expect(await one.readSyntax(a)).toBe(first);
    await one.readSyntax(c);
    expect(await one.readSyntax(a)).toBe(first);
    expect(await one.readSyntax(b)).not.toBe(second);
  });
});
