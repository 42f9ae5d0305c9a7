import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  canPlaceCargoHome,
  listCargoNames,
  moveCargoHome,
  releaseCargoHome,
  shareCargoHome,
  stripCargoTarget,
} from '../../../gates/environment/cargo-target.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

const write = (root: string, ...paths: string[]): string => {
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path);
  }
  return root;
};
const list = (root: string): string[] =>
  readdirSync(root, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1))
    .sort();

const readlinkOrNull = (path: string): string | null =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() ? readlinkSync(path) : null;

const [OWN, OTHER] = ['0123456789abcdef', 'fedcba9876543210'];

describe('the build folder of Cargo', () => {
  test('keeps what was compiled from the registry, and nothing of the tree', async () => {
    const target = write(
      createTemporaryFolder(),
      '.rustc_info.json',
      'CACHEDIR.TAG',
      'tests/trybuild/Cargo.toml',
      'debug/.cargo-lock',
      `debug/.fingerprint/my-crate-${OWN}/lib-my_crate`,
      `debug/.fingerprint/serde-${OTHER}/lib-serde`,
      `debug/build/my-crate-${OWN}/output`,
      `debug/build/serde-${OTHER}/output`,
      `debug/deps/libmy_crate-${OWN}.rlib`,
      `debug/deps/a_test-${OWN}`,
      `debug/deps/unknown-1111111111111111.d`,
      `debug/deps/libserde-${OTHER}.rlib`,
      `debug/deps/serde-${OTHER}.d`,
      'debug/libmy_crate.rlib',
      'debug/incremental/x/y',
      `x86_64-unknown-linux-gnu/release/.fingerprint/serde-${OTHER}/lib-serde`,
      `x86_64-unknown-linux-gnu/release/serde`,
    );
    expect(
      await stripCargoTarget(target, new Set(await listCargoNames('[package]\nname = "my-crate"\n'))),
    ).toBe(true);
    expect(list(target)).toEqual([
      '.rustc_info.json',
      'CACHEDIR.TAG',
      `debug/.fingerprint/serde-${OTHER}/lib-serde`,
      `debug/build/serde-${OTHER}/output`,
      `debug/deps/libserde-${OTHER}.rlib`,
      `debug/deps/serde-${OTHER}.d`,
      `x86_64-unknown-linux-gnu/release/.fingerprint/serde-${OTHER}/lib-serde`,
    ]);
  });

  test('is told from other folders of that name', async () => {
    const folder = write(createTemporaryFolder(), 'a.txt');
    expect(await stripCargoTarget(folder, new Set())).toBe(false);
    expect(list(folder)).toEqual(['a.txt']);
  });

  test.each(['.fingerprint', 'build', 'deps'])(
    'removes nothing behind a link in the place of %s',
    async (part) => {
      const other = write(createTemporaryFolder(), 'kept');
      const target = write(createTemporaryFolder(), '.rustc_info.json', 'debug/.fingerprint/x');
      if (part === '.fingerprint') rmSync(join(target, 'debug', part), { recursive: true });
      symlinkSync(other, join(target, 'debug', part));
      expect(await stripCargoTarget(target, new Set())).toBe(true);
      expect(list(other)).toEqual(['kept']);
      expect(readlinkOrNull(join(target, 'debug', part))).toBe(null);
    },
  );

  test.each([
    'name = "a-b"',
    "package = { name = 'a-b' }",
    'package.name="a-b"',
    '"name" = "a-b"',
    '"n\\u0061me" = "a\\u002db"',
    '[package]\nname = """\na-b"""',
    '[[bin]]\nname = "a-b"',
  ])('names of crates: %s', async (text) => {
    expect(await listCargoNames(text)).toEqual(['a_b']);
  });

  test.each([
    ['name = "a-b', null],
    ['# no name\n', []],
  ])('names of crates in %s', async (text, names) => {
    expect(await listCargoNames(text)).toEqual(names);
  });
});

describe("the place of Cargo's home", () => {
  const source = () => write(createTemporaryFolder(), 'registry/src/a.rs');

  test.skipIf(process.env['CARGO_HOME'] !== undefined)('is not ours where the configuration sets it', () => {
    expect(canPlaceCargoHome(['a/Cargo.toml'], {})).toBe(true);
    expect(canPlaceCargoHome(['a/Cargo.toml'], { CARGO_HOME: '/opt/cargo' })).toBe(false);
  });

  test('leads to files of this run, and to those of the next run once this one is gone', async () => {
    const path = join(createTemporaryFolder(), 'cargo');
    symlinkSync('/nonexistent/of-an-earlier-run', path);
    expect(await shareCargoHome(path, source(), createTemporaryFolder())).toBe(true);
    expect(readFileSync(join(path, 'registry/src/a.rs'), 'utf8')).toBe('registry/src/a.rs');
  });

  test('stays with a run that uses it', async () => {
    const path = join(createTemporaryFolder(), 'cargo');
    expect(await shareCargoHome(path, source(), createTemporaryFolder())).toBe(true);
    expect(await shareCargoHome(path, source(), createTemporaryFolder())).toBe(false);
  });

  test('is gone after its run, and stays where another run uses it', async () => {
    const path = join(createTemporaryFolder(), 'cargo');
    const workDir = createTemporaryFolder();
    await shareCargoHome(path, source(), workDir);
    await releaseCargoHome(path, createTemporaryFolder());
    expect(readlinkOrNull(path)).toContain(workDir);
    await releaseCargoHome(path, workDir);
    expect(readlinkOrNull(path)).toBeNull();
  });

  test('is not taken from a folder of another', async () => {
    const path = createTemporaryFolder();
    expect(await shareCargoHome(path, source(), createTemporaryFolder())).toBe(false);
    expect(existsSync(path)).toBe(true);
  });

  test('gives its content to the home folder', async () => {
    const path = source();
    const home = write(createTemporaryFolder(), '.cargo/registry/old', '.cargo/config.toml');
    await moveCargoHome(path, home);
    expect(list(home)).toEqual(['.cargo/config.toml', '.cargo/registry/src/a.rs']);
    expect(existsSync(path)).toBe(false);
  });

  test('takes nothing from a folder that a link in its place leads to', async () => {
    const other = write(createTemporaryFolder(), 'secret');
    const path = join(createTemporaryFolder(), 'cargo');
    symlinkSync(other, path);
    const home = createTemporaryFolder();
    await expect(moveCargoHome(path, home)).rejects.toThrow('have replaced');
    expect(list(other)).toEqual(['secret']);
    expect(list(home)).toEqual([]);
  });

  test('writes nothing into a folder that a link in the home folder leads to', async () => {
    const other = write(createTemporaryFolder(), 'registry/kept');
    const home = createTemporaryFolder();
    symlinkSync(other, join(home, '.cargo'));
    await moveCargoHome(source(), home);
    expect(list(other)).toEqual(['registry/kept']);
    expect(list(home)).toEqual(['.cargo/registry/src/a.rs']);
  });
});
