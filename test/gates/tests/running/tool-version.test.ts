import { expect, test } from 'vitest';
import type { SandboxFactory } from '../../../../gates/core/sandbox-factory.ts';
import { findToolVersion } from '../../../../gates/tests/running/tool-version.ts';

/** Rooms that know of one program, and the lines that were run in them. */
function roomsWith(version: string | null) {
  const lines: string[] = [];
  const room = async () => ({
    run: async ({ line }: { readonly line: string }) => {
      lines.push(line);
      return { end: 'exited', exitCode: version === null ? 127 : 0, output: version ?? '' };
    },
  });
  return {
    rooms: { createMinimalToolQuerySandbox: room, createToolQuerySandbox: room } as unknown as SandboxFactory,
    lines,
  };
}

const LINT = { name: 'lint', versionLine: 'lint --version', installHint: '' };

test.each([
  ['here', 'lint 1.2.3', '1.2.3'],
  ['missing', null, null],
])('a program that is %s is asked for its version once, by however many gates', async (_, said, version) => {
  const { rooms, lines } = roomsWith(said);
  const ask = () => findToolVersion(rooms, 'base', LINT);
  expect(await Promise.all([ask(), ask()])).toEqual([version, version]);
  expect(await ask()).toBe(version);
  expect(lines).toHaveLength(1);
});

test('another program and another folder are other questions', async () => {
  const { rooms, lines } = roomsWith('1.0');
  await findToolVersion(rooms, 'base', LINT);
  await findToolVersion(rooms, 'base', { ...LINT, versionLine: 'other --version' });
  await findToolVersion(rooms, 'base', LINT, 'web');
  expect(lines.filter((line) => line.includes('--version'))).toHaveLength(3);
});
