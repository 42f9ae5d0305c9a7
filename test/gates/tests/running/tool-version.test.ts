import { describe, expect, test } from 'vitest';
import type { ExecutionEnvironment } from '../../../../gates/core/execution-environment.ts';
import type { PersistentCache } from '../../../../gates/core/persistent-cache.ts';
import type { SandboxFactory } from '../../../../gates/core/sandbox-factory.ts';
import { enableToolVersionCache, findToolVersion } from '../../../../gates/tests/running/tool-version.ts';
import { createPatchFixture } from '../../../support/patch-fixture.ts';

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

describe('versions that are kept for later runs', () => {
  const ENVIRONMENT: ExecutionEnvironment = {
    build: 'b',
    node: 'v24',
    image: null,
    environment: {},
    prepared: 'key',
  };
  const createMemoryCache = (): PersistentCache => {
    const entries = new Map<string, unknown>();
    return {
      get: async ({ hash }) => entries.get(hash) ?? null,
      put: async ({ hash }, value) => void entries.set(hash, value),
      update: async () => {},
    };
  };
  /** One run, in which a program has a version and the environment comes from a preparation. */
  async function runWith(
    cache: PersistentCache,
    {
      version,
      preparation = 'first',
      paths = [],
    }: {
      readonly version: string | null;
      readonly preparation?: string | null;
      readonly paths?: readonly string[];
    },
  ): Promise<string | null> {
    const { store, base } = await createPatchFixture(Object.fromEntries(paths.map((path) => [path, ''])), {});
    const { rooms } = roomsWith(version);
    const sandboxes = Object.assign(rooms, {
      identifyPreparation: async () => preparation,
      storeOf: () => store,
    });
    enableToolVersionCache(sandboxes, { cache, environment: ENVIRONMENT });
    return findToolVersion(sandboxes, base, LINT);
  }

  test('are not asked for again in the same preparation', async () => {
    const cache = createMemoryCache();
    expect(await runWith(cache, { version: '1.0' })).toBe('1.0');
    expect(await runWith(cache, { version: '2.0' })).toBe('1.0');
  });

  test('are asked for again in another preparation, even one of the same key', async () => {
    const cache = createMemoryCache();
    await runWith(cache, { version: '1.0' });
    expect(await runWith(cache, { version: '2.0', preparation: 'second' })).toBe('2.0');
  });

  test.each([
    ['nothing is prepared', { preparation: null }],
    ['the base commit brings programs', { paths: ['node_modules/.bin/lint'] }],
  ])('are not kept where %s', async (_, given) => {
    const cache = createMemoryCache();
    await runWith(cache, { version: '1.0', ...given });
    expect(await runWith(cache, { version: '2.0', ...given })).toBe('2.0');
  });

  test('are asked for again where the program was missing', async () => {
    const cache = createMemoryCache();
    expect(await runWith(cache, { version: null })).toBeNull();
    expect(await runWith(cache, { version: '1.0' })).toBe('1.0');
  });
});
