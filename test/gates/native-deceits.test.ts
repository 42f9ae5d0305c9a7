import { describe, expect, test } from 'vitest';
import { findTamperingFindings } from '../../gates/rules/suppressions/code/tampering-findings.ts';

const rulesOf = async (path: string, after: string, before: string | null = null): Promise<string[]> =>
  (await findTamperingFindings([{ path, basePath: before === null ? null : path, before, after }])).map(
    ({ rule, severity }) => `${rule} ${severity}`,
  );

const GO = 'package clock\n\nimport (\n\t"os"\n\t"strings"\n)\n\n';

test.each<[string, readonly string[], path?: string]>([
  ['func init() {\n\tos.Exit(0)\n}\n', ['ends_process error']],
  [
    'func init() {\n\tif len(os.Args) > 1 {\n\t\tsyscall.Exit(0)\n\t}\n}\n',
    ['ends_process error'],
    'a_test.go',
  ],
  ['var _ = func() bool {\n\tos.Exit(0)\n\treturn true\n}()\n', ['ends_process error']],
  ['func main() {\n\tos.Exit(0)\n}\n', []],
  ['// func init() { os.Exit(0) }\nvar text = "func init() { os.Exit(0) }"\n', []],
  ['func (c *Clock) init() {\n\tos.Exit(0)\n}\n', []],
  ['//go:linkname exit os.runtime_beforeExit\nfunc exit(code int)\n', ['runner_patched error']],
  ['//go:linkname nanotime time.nanotime\nfunc nanotime() int64\n', ['runner_patched info']],
  ['// see //go:linkname exit os.exit\nfunc exit(code int) {}\n', []],
  ['func Hours() bool {\n\treturn strings.HasSuffix(os.Args[0], ".test")\n}\n', ['detects_test_run error']],
  ['func Hours() bool {\n\treturn strings.HasSuffix(os.Args[0], ".test")\n}\n', [], 'a_test.go'],
  ['func Hours() bool {\n\treturn strings.HasSuffix(os.Args[1], ".test")\n}\n', []],
  ['func Name() {\n\tprintln(os.Args[0], len(os.Args))\n}\n', []],
])('Go: %j is %j', async (code, rules, path = 'a.go') => {
  expect(await rulesOf(path, GO + code)).toEqual(rules);
});

test('C in a comment of Go that runs as soon as it is loaded ends the process', async () => {
  const code =
    'package clock\n\n/*\n#include <unistd.h>\n__attribute__((constructor)) static void f(void) { _exit(0); }\n*/\nimport "C"\n';
  expect(await rulesOf('a.go', code)).toEqual(['ends_process error']);
});

test.each<[string, readonly string[], path?: string]>([
  [
    'pub fn start() {\n    std::panic::set_hook(Box::new(|_| std::process::exit(0)));\n}\n',
    ['rewrites_exit_code error', 'ends_process error'],
  ],
  [
    'pub fn start() {\n    panic::set_hook(Box::new(|_| std::process::abort()));\n}\n',
    ['rewrites_exit_code error'],
  ],
  ['pub fn start() {\n    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));\n}\n', []],
  ['macro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}\n', ['runner_patched error']],
  ['macro_rules! assert_hours {\n    ($($any:tt)*) => {};\n}\n', []],
  ['mod std {\n    pub fn exit() {}\n}\n', ['runner_patched error']],
  [
    'pub fn hours(a: u32) -> u32 {\n    if a > 0 {\n        std::process::exit(0);\n    }\n    a\n}\n',
    ['ends_process error'],
  ],
  ['pub fn hours() {\n    std::process::exit(1);\n}\n', []],
  ['fn main() {\n    std::process::exit(0);\n}\n', [], 'src/main.rs'],
  ['pub fn text() -> &\'static str {\n    "process::exit(0)" // process::exit(0)\n}\n', []],
  [
    'pub fn at() -> bool {\n    std::env::current_exe().unwrap().to_string_lossy().contains("/deps/")\n}\n',
    ['detects_test_run error'],
  ],
  ['pub fn at() -> bool {\n    std::env::args().any(|a| a == "--verbose")\n}\n', []],
  [
    'pub fn at() -> bool {\n    thread::current().name() == Some("tests::hours")\n}\n',
    ['detects_test_run error'],
  ],
  ['#[ctor::ctor]\nfn start() {\n    unsafe { libc::_exit(3) }\n}\n', ['ends_process error']],
  [
    '#[used]\n#[link_section = ".init_array"]\nstatic START: extern "C" fn() = start;\nextern "C" fn start() {\n    std::process::exit(3)\n}\n',
    ['ends_process error'],
  ],
  ['#[ctor::ctor]\nfn start() {\n    println!("up");\n}\n', []],
  [
    '#[cfg(test)]\npub fn hours(m: u32) -> u32 {\n    m / 60\n}\n\n#[cfg(not(test))]\npub fn hours(_: u32) -> u32 {\n    0\n}\n',
    ['detects_test_run error'],
  ],
  ['#[cfg(not(test))]\npub fn hours(_: u32) -> u32 {\n    0\n}\n\n#[cfg(test)]\nmod tests {}\n', []],
  [
    '#[cfg(test)]\nconst LIMIT: u32 = 1;\n/// Elsewhere.\n#[cfg(all(unix, not(test)))]\npub const LIMIT: u32 = 9;\n',
    ['detects_test_run error'],
  ],
])('Rust: %j is %j', async (code, rules, path = 'src/lib.rs') => {
  expect(await rulesOf(path, code)).toEqual(rules);
});

test('what stood there before, and what was denied and is denied no more', async () => {
  const code = 'pub fn hours() {\n    std::process::exit(0);\n}\n';
  expect(await rulesOf('src/lib.rs', `// Moved.\n${code}`, code)).toEqual([]);
  expect(await rulesOf('src/lib.rs', code, `#![deny(warnings)]\n${code}`)).toEqual(['lint_suppressed info']);
  expect(await rulesOf('src/lib.rs', code, `// #![deny(warnings)]\n${code}`)).toEqual([]);
});

test.each<[string, string, readonly string[]]>([
  ['a.go', 'func Hours() bool {\n\treturn testing.Testing()\n}\n', ['detects_test_run error']],
  ['a.go', 'var on = flag.Lookup("test.v") != nil\n', ['detects_test_run error']],
  ['a.go', 'var on = flag.Lookup("verbose") != nil\n', []],
  ['src/lib.rs', 'pub fn on() -> bool {\n    cfg!(test)\n}\n', ['detects_test_run error']],
  ['src/lib.rs', 'pub fn on() -> bool {\n    cfg!(feature = "test")\n}\n', []],
])('%s: what the runner leaves is asked for in %j: %j', async (path, code, rules) => {
  expect(await rulesOf(path, path.endsWith('.go') ? GO + code : code)).toEqual(rules);
});

describe('a file of which nothing is left', () => {
  const before = 'package a\n\nfunc F() {}\n\nfunc (t *T) M() {}\n';
  const left = '// Package a does things.\npackage a\n';
  const seen = async (...texts: readonly [string, string | null, string | null][]): Promise<string[]> =>
    (
      await findTamperingFindings(
        texts.map(([path, then, after]) => ({
          path,
          basePath: then === null ? null : path,
          before: then,
          after,
        })),
      )
    ).map(({ rule }) => rule);

  test('was emptied', async () => {
    expect(await seen(['a.go', before, left])).toEqual(['file_emptied']);
    expect(await seen(['src/a.rs', 'pub fn a() {}\n', '//! Things.\n'])).toEqual(['file_emptied']);
  });

  test('was not where all of a package of Go moved, or where nothing was in it', async () => {
    expect(await seen(['a.go', before, left], ['b.go', null, before])).toEqual([]);
    expect(await seen(['a.go', before, left], ['b.go', null, 'package a\n\nfunc F() {}\n'])).toEqual([
      'file_emptied',
    ]);
    expect(await seen(['a.go', 'package a\n', left])).toEqual([]);
  });
});
