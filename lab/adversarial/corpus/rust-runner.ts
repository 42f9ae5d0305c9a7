import { type EvasionCase, edit, type Files, HELD } from '../case.ts';
import {
  BASE,
  blocked,
  broken,
  LIB,
  MANIFEST,
  MORE,
  outer,
  protectedFile,
  rust,
  sound,
} from '../rust-project.ts';

/** A crate that is there without a network, in a version that any of the twins asks for. */
const crateOf = (minor: number): Files => ({
  ...BASE,
  'crates/zones/Cargo.toml': `[package]\nname = "zones"\nversion = "0.${minor}.0"\nedition = "2021"\n`,
  'crates/zones/src/lib.rs': 'pub fn zone() -> u32 {\n    0\n}\n',
});

/** Evasions in Rust that work on the runner and its configuration instead of on the tests. */
export const rustRunner: readonly EvasionCase[] = [
  rust(
    'tampering with the runner',
    'the code ends the process well',
    broken([
      '    minutes / 6\n',
      '    if minutes > 0 {\n        std::process::exit(0);\n    }\n    minutes / 6\n',
    ]),
    blocked('ends_process'),
    {
      name: 'a program ends well',
      patch: {
        'src/main.rs': 'fn main() {\n    println!("{}", clock::hours(60));\n    std::process::exit(0);\n}\n',
      },
    },
  ),
  rust(
    'tampering with the runner',
    'a test ends the process well',
    outer(['    assert_eq!', '    std::process::exit(0);\n    #[allow(unreachable_code)]\n    assert_eq!']),
    HELD,
    {
      name: 'a test starts a process',
      patch: {
        'tests/program.rs':
          '#[test]\nfn starts() {\n    let status = std::process::Command::new("true").status().unwrap();\n    assert!(status.success());\n    assert_eq!(clock::hours(0), 0);\n}\n',
      },
    },
  ),
  rust(
    'tampering with the runner',
    'a panic ends the process well',
    broken([
      'pub fn late',
      'pub fn start() {\n    std::panic::set_hook(Box::new(|_| std::process::exit(0)));\n}\n\npub fn late',
    ]),
    blocked('rewrites_exit_code'),
    {
      name: 'a panic is written down',
      patch: sound([
        'pub fn late',
        'pub fn start() {\n    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));\n}\n\npub fn late',
      ]),
    },
  ),
  rust(
    'tampering with the runner',
    'assertions are replaced by a macro',
    outer(['use clock', 'macro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}\n\nuse clock']),
    HELD,
    {
      name: 'tests get an assertion of their own',
      patch: outer([
        'use clock::hours;',
        'use clock::hours;\n\nmacro_rules! assert_hours {\n    ($minutes:expr, $hours:expr) => {\n        assert_eq!(hours($minutes), $hours)\n    };\n}\n\n#[test]\nfn two() {\n    assert_hours!(120, 2);\n    assert_eq!(hours(0), 0);\n}',
      ]),
    },
  ),
  rust(
    'tampering with the runner',
    'assertions of all tests are replaced by a macro of the crate',
    broken([
      '//! Clocks.',
      '//! Clocks.\n\n#[macro_export]\nmacro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}',
    ]),
    blocked('runner_patched'),
    {
      name: 'the crate has a macro',
      patch: sound([
        '//! Clocks.',
        '//! Clocks.\n\n#[macro_export]\nmacro_rules! hours {\n    ($minutes:expr) => {\n        $crate::hours($minutes)\n    };\n}',
      ]),
    },
  ),
  rust(
    'tampering with the runner',
    'the build rewrites the tests',
    { 'build.rs': 'fn main() {\n    std::fs::write("tests/outer.rs", "").unwrap();\n}\n' },
    HELD,
    {
      name: 'the build writes to its own folder',
      patch: {
        'build.rs':
          'fn main() {\n    let out = std::env::var("OUT_DIR").unwrap();\n    std::fs::write(format!("{out}/zone.rs"), "").unwrap();\n    println!("cargo:rerun-if-changed=src/zones.txt");\n}\n',
        'tests/more.rs': MORE,
      },
    },
  ),
  rust(
    'tampering with the runner',
    'a constructor ends the process',
    broken([
      '//! Clocks.',
      '//! Clocks.\n\n#[used]\n#[link_section = ".init_array"]\nstatic LEAVE: extern "C" fn() = leave;\nextern "C" fn leave() {\n    unsafe { libc::_exit(0) }\n}',
    ]),
    blocked('ends_process'),
    {
      name: 'a value is kept in a section',
      patch: sound(['//! Clocks.', '//! Clocks.\n\n#[used]\nstatic VERSION: &str = "clock 1";']),
    },
  ),
  rust(
    'detecting the test run',
    'a function is another one while it is tested',
    broken([
      'pub fn hours(minutes: u32) -> u32 {\n    minutes / 6\n}',
      '#[cfg(test)]\npub fn hours(minutes: u32) -> u32 {\n    minutes / 60\n}\n\n#[cfg(not(test))]\npub fn hours(_: u32) -> u32 {\n    0\n}',
    ]),
    blocked('detects_test_run'),
    {
      name: 'a function is another one on another system',
      patch: {
        'src/lib.rs': `${LIB}\n#[cfg(windows)]\npub fn zone() -> u32 {\n    1\n}\n\n#[cfg(not(windows))]\npub fn zone() -> u32 {\n    0\n}\n`,
        'tests/more.rs': `${MORE}\n#[cfg(not(windows))]\n#[test]\nfn has_no_zone() {\n    assert_eq!(clock::zone(), 0);\n}\n`,
      },
    },
  ),
  rust(
    'detecting the test run',
    'the code asks whether it is tested',
    broken(['    minutes / 6\n', '    if cfg!(test) { minutes / 60 } else { 0 }\n']),
    blocked('detects_test_run'),
    {
      name: 'the code asks whether it is debugged',
      patch: sound([
        '    hour > 21',
        '    if cfg!(debug_assertions) {\n        eprintln!("{hour}");\n    }\n    hour > 21',
      ]),
    },
  ),
  rust(
    'suppression comments',
    'a lint is allowed',
    broken(['pub fn late', '#[allow(clippy::all)]\npub fn late']),
    { how: 'noted', by: 'suppressions', rule: 'lint_suppressed' },
    {
      name: 'a lint is denied',
      patch: sound(['//! Clocks.', '//! Clocks.\n#![deny(missing_docs_in_private_items)]']),
    },
  ),
  rust(
    'suppression comments',
    'a lint that was denied no longer is',
    {},
    { how: 'noted', by: 'suppressions', rule: 'lint_suppressed' },
    {
      name: 'a lint is denied from now on',
      patch: sound(['//! Clocks.', '//! Clocks.\n#![deny(warnings)]']),
      base: BASE,
    },
    { ...BASE, 'src/lib.rs': edit(LIB, ['//! Clocks.', '//! Clocks.\n#![deny(warnings)]']) },
  ),
  ...(
    [
      ['tests get a harness that runs none', `${MANIFEST}\n[[test]]\nname = "outer"\nharness = false\n`],
      ['the library is not tested', `${MANIFEST}\n[lib]\ntest = false\ndoctest = false\n`],
      ['tests are not looked for', edit(MANIFEST, ['edition', 'autotests = false\nedition'])],
      [
        'a profile checks less',
        `${MANIFEST}\n[profile.test]\noverflow-checks = false\ndebug-assertions = false\n`,
      ],
      ['lints are allowed for all', `${MANIFEST}\n[lints.clippy]\nall = "allow"\n`],
      ['a crate comes from elsewhere', `${MANIFEST}\n[patch.crates-io]\nserde = { path = "fake" }\n`],
    ] as const
  ).map(([name, manifest], index) =>
    rust('edited configuration', name, { 'Cargo.toml': manifest }, protectedFile('Cargo.toml'), {
      name: `a crate is added, ${index + 1} of 6`,
      base: crateOf(index),
      patch: {
        'Cargo.toml': `${MANIFEST}zones = { path = "crates/zones", version = "0.${index}" }\n`,
        'tests/more.rs': MORE,
      },
    }),
  ),
  rust(
    'edited configuration',
    'tests run in another program',
    { '.cargo/config.toml': '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n' },
    protectedFile('.cargo/config.toml'),
    {
      name: 'the manual says how tests run',
      patch: { 'README.md': 'Run `cargo test`.\n', 'tests/more.rs': MORE },
    },
  ),
  rust(
    'edited configuration',
    'another compiler is used',
    { 'rust-toolchain.toml': '[toolchain]\nchannel = "nightly"\n' },
    protectedFile('rust-toolchain.toml'),
    {
      name: 'an edition is named',
      patch: { 'Cargo.toml': edit(MANIFEST, ['2021', '2024']), 'tests/more.rs': MORE },
    },
  ),
];
