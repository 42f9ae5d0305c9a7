import { execFileSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { brokenOff } from '../../../../gates/rules/native/broken-off.ts';
import { reduce } from '../../../../shared/verdict/reduce.ts';
import { BROKEN, BASE as GO_BASE, MORE, main } from '../../../evasion/go-project.ts';
import { broken, MANIFEST, BASE as RUST, sound } from '../../../evasion/rust-project.ts';
import { gatherOn } from '../../../support/gather.ts';
import { makeRepository } from '../../../support/repository.ts';

const asked = (program: string, ...args: readonly string[]): string | null => {
  try {
    return execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return null;
  }
};
const cache = asked('go', 'env', 'GOCACHE');
const cargo = asked('cargo', '--version');

/** The project as a compiler takes it: it has no dependencies. */
const GO = {
  ...(GO_BASE as Record<string, string>),
  'go.mod': 'module example.org/clock\n\ngo 1.21\n',
  'clock_test.go': String(GO_BASE['clock_test.go'])
    .replace('println(', 'fmt.Println(')
    .replace('import "testing"', 'import (\n\t"fmt"\n\t"testing"\n)'),
};

async function judged(
  base: Readonly<Record<string, string>>,
  patch: Readonly<Record<string, string | null>>,
  command: string,
): Promise<{ readonly verdict: string; readonly gates: Readonly<Record<string, string>> }> {
  const repository = makeRepository({
    ...base,
    'assay.yaml': `version: 1\nquality_gates:\n  lint: false\n  pii_scan: false\n  dlp_scan: false\n  tests: true\n  test_command: ${command}\n`,
  });
  repository.write(patch);
  const evidence = await gatherOn(repository);
  return {
    verdict: reduce(evidence).verdict,
    gates: Object.fromEntries(evidence.gates.map(({ name, outcome }) => [name, outcome])),
  };
}

describe.skipIf(cache === null)('go test, really run,', () => {
  const command = `GOCACHE='${cache}' go test ./...`;

  test('passes an honest patch', async () => {
    expect((await judged(GO, { 'none_test.go': MORE }, command)).verdict).toBe('pass');
  });

  test('is not believed when the start of all tests ends it', async () => {
    const { verdict, gates } = await judged(
      GO,
      { 'clock.go': BROKEN, ...(main('\tos.Exit(0)\n') as Record<string, string>) },
      command,
    );
    expect([verdict, gates['tests'], gates['test_integrity']]).toEqual(['fail', 'passed', 'failed']);
  });
});

describe.skipIf(cargo === null)('cargo test, really run,', () => {
  const base = RUST as Record<string, string>;
  const command = 'cargo test --offline';

  test('passes an honest patch', async () => {
    const patch = sound(['hour > 21', 'hour >= 22']) as Record<string, string>;
    expect((await judged(base, patch, command)).verdict).toBe('pass');
  });

  test('tests what the patch keeps from being tested', async () => {
    const patch = {
      ...(broken() as Record<string, string>),
      'Cargo.toml': `${MANIFEST}\n[lib]\ntest = false\ndoctest = false\n`,
    };
    expect((await judged(base, patch, command)).gates['tests']).toBe('failed');
  });

  test('has failed when a test program ends well in the middle, however the code writes it', async () => {
    const patch = broken([
      '    minutes / 6\n',
      '    let code = minutes as i32 * 0;\n    std::process::exit(code)\n',
    ]);
    expect((await judged(base, patch as Record<string, string>, command)).gates['tests']).toBe('failed');
  });
});

test.each([
  ['running 2 tests\ntest a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed\n', 0, false],
  ['running 2 tests\ntest a ... ok\n', 0, true],
  ['running 1 test\ntest result: ok.\nrunning 3 tests\n', 0, true],
  ['running 2 tests\n', 1, false],
  ['we are running 2 tests\n', 0, false],
])('the run %j, with %i bytes cut, was broken off: %s', (output, cutBytes, isBroken) => {
  expect(brokenOff({ output, cutBytes }) !== null).toBe(isBroken);
});
