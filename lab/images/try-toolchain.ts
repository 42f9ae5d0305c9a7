import { spawnSync } from 'node:child_process';
import type { TOOLCHAINS } from '../../infra/images.ts';
import { Buildah } from './buildah.ts';
import type { ImageBuilder } from './builder.ts';

/** User of a sandbox. */
const USER = '10001:10001';
const TIMEOUT_MS = 300_000;

/** What a repository's gates do on each toolchain, without a network: builds and tests of a small project. */
const TRIALS: Readonly<Record<(typeof TOOLCHAINS)[number], string>> = {
  node: `echo 'require("node:test").test("a", () => {});' >a.test.js; node --test; npm --version; cc --version; chromium --version`,
  python: `python3 -m venv v; printf 'import unittest\\nclass A(unittest.TestCase):\\n    def test_a(self): pass\\n' >test_a.py
    v/bin/python -m unittest; v/bin/pip --version; cc --version`,
  go: `printf 'module a\\n\\ngo 1.24\\n' >go.mod; printf 'package a\\n\\nimport "testing"\\n\\nfunc TestA(t *testing.T) {}\\n' >a_test.go
    go vet ./...; go test ./...; gofmt -l .`,
  rust: `mkdir src; printf '[package]\\nname = "a"\\nversion = "0.1.0"\\nedition = "2021"\\n' >Cargo.toml
    printf '#[test]\\nfn a() {}\\n' >src/lib.rs; cargo test --offline; cargo clippy --offline -- -D warnings; cargo fmt --check`,
};

/**
 * Runs the tools of an image's toolchain as a user without rights.
 * @param name of the image, such as `gates-go`
 * @returns null where they work or it is no gates image of a toolchain, else the end of what they printed
 */
export function tryToolchain(builder: ImageBuilder, name: string, image: string): string | null {
  const [kind, toolchain] = name.split('-') as [string, (keyof typeof TRIALS)?];
  // The agent image of a toolchain has the same layers below.
  if (kind !== 'gates' || toolchain === undefined) return null;
  const line = `export HOME=/tmp/trial TMPDIR=/tmp; mkdir /tmp/trial; cd /tmp/trial\n${TRIALS[toolchain]}`;
  if (builder.kind === 'buildah') return Buildah.open().run(image, USER, line, TIMEOUT_MS);
  const args = [
    'run',
    '--rm',
    '--network',
    'none',
    '--user',
    USER,
    '--entrypoint',
    'sh',
    image,
    '-euc',
    line,
  ];
  const ran = spawnSync(builder.program, args, { encoding: 'utf8', timeout: TIMEOUT_MS });
  return ran.status === 0 ? null : `${ran.stdout}\n${ran.stderr}`.trim().split('\n').slice(-6).join('\n');
}
