import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { TABLE_ACCESS_BY_FUNCTION } from '../../infra/table-access.ts';
import { LAUNCH_KINDS } from '../../shared/contract/launch-kind.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/reference/threat-model.md'), 'utf8');

/** Returns the cells of each row of the first table below a heading. */
function tableBelow(heading: string): string[][] {
  const [, rest] = page.split(`\n${heading}\n`);
  const table = /\n\|.*\n\|[-|]+\n((?:\|.*\n)+)/.exec(rest ?? '')?.[1] ?? '';
  return table
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

const functions = tableBelow('### Hostile functions');
const tokens = tableBelow('### Hostile holders of tokens');
const containers = tableBelow('### Hostile containers and sandboxes');

describe('the threat model', () => {
  it('has a row for each function of the template, and no other', () => {
    expect(functions.map(([name]) => name).sort()).toEqual(
      Object.keys(TABLE_ACCESS_BY_FUNCTION)
        .map((name) => `\`${name}\``)
        .sort(),
    );
  });

  it('has a row for each kind of token', () => {
    expect(tokens.map(([name]) => name)).toEqual([
      'operator',
      'identity (OIDC)',
      ...LAUNCH_KINDS,
      'model',
      'presigned URL',
    ]);
  });

  it('names each module that listens', () => {
    const listening = globSync('{cli,containers,functions,local,shared,workspace}/**/*.ts', { cwd: ROOT })
      .filter((file) => file !== 'shared/lib/loopback-listener.ts')
      .filter((file) => readFileSync(join(ROOT, file), 'utf8').includes('listenOnLoopback('));
    const named = tableBelow('### A web page cannot call the embedded stack').flatMap((row) =>
      [...(row.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file),
    );
    expect(listening.length).toBeGreaterThan(0);
    expect([...new Set(named)].sort()).toEqual(listening.sort());
  });

  it.each([...functions, ...tokens, ...containers])(
    '%s: can %s; not %s',
    (_name, can, cannot, shown = '') => {
      expect(can).not.toBe('');
      expect(cannot).not.toBe('');
      const files = [...shown.matchAll(/`([^`]+)`/g)].map(([, file = '']) => file);
      expect(files).not.toEqual([]);
      for (const file of files) expect(existsSync(join(ROOT, file)), file).toBe(true);
      // Quoted names are in the file that follows them.
      for (const [, names = '', file = ''] of shown.matchAll(/((?:"[^"]+"(?:, | and )?)+) in `([^`]+)`/g))
        for (const [, name = ''] of names.matchAll(/"([^"]+)"/g))
          expect(readFileSync(join(ROOT, file), 'utf8'), file).toContain(name);
    },
  );
});
