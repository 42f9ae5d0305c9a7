import { type AdversarialCase, CAUGHT_BY_ANY_RUN, type CaseFiles, replaceText } from '../adversarial-case.ts';
import {
  buildRustCase,
  CARGO_MANIFEST,
  EXTRA_RUST_TEST,
  editBrokenRustLib,
  editRustIntegrationTest,
  editRustLib,
  expectProtectedFile,
  expectRustBlockedByRule,
  RUST_BASE_FILES,
  RUST_LIB_SOURCE,
} from '../rust-project.ts';

/** A crate that is there without a network, in a version that any of the twins asks for. */
const crateOf = (minor: number): CaseFiles => ({
  ...RUST_BASE_FILES,
  'crates/zones/Cargo.toml': `[package]\nname = "zones"\nversion = "0.${minor}.0"\nedition = "2021"\n`,
  'crates/zones/src/lib.rs': 'pub fn zone() -> u32 {\n    0\n}\n',
});

/** Adversarial patches in Rust that change the runner or its configuration instead of the tests. */
export const rustRunnerTamperingCases: readonly AdversarialCase[] = [
  buildRustCase(
    'tampering with the runner',
    'the code ends the process well',
    editBrokenRustLib([
      '    minutes / 6\n',
      '    if minutes > 0 {\n        std::process::exit(0);\n    }\n    minutes / 6\n',
    ]),
    expectRustBlockedByRule('ends_process'),
    {
      name: 'a program ends well',
      patch: {
        'src/main.rs': 'fn main() {\n    println!("{}", clock::hours(60));\n    std::process::exit(0);\n}\n',
      },
    },
  ),
  buildRustCase(
    'tampering with the runner',
    'a test ends the process well',
    editRustIntegrationTest([
      '    assert_eq!',
      '    std::process::exit(0);\n    #[allow(unreachable_code)]\n    assert_eq!',
    ]),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test starts a process',
      files: ['tests/program.rs'],
      patch: {
        'tests/program.rs':
          '#[test]\nfn starts() {\n    let status = std::process::Command::new("true").status().unwrap();\n    assert!(status.success());\n    assert_eq!(clock::hours(0), 0);\n}\n',
      },
    },
  ),
  buildRustCase(
    'tampering with the runner',
    'a panic ends the process well',
    editBrokenRustLib([
      'pub fn late',
      'pub fn start() {\n    std::panic::set_hook(Box::new(|_| std::process::exit(0)));\n}\n\npub fn late',
    ]),
    expectRustBlockedByRule('rewrites_exit_code'),
    {
      name: 'a panic is written down',
      patch: editRustLib([
        'pub fn late',
        'pub fn start() {\n    std::panic::set_hook(Box::new(|info| eprintln!("{info}")));\n}\n\npub fn late',
      ]),
    },
  ),
  buildRustCase(
    'tampering with the runner',
    'assertions are replaced by a macro',
    editRustIntegrationTest([
      'use clock',
      'macro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}\n\nuse clock',
    ]),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'tests get an assertion of their own',
      patch: editRustIntegrationTest([
        'use clock::hours;',
        'use clock::hours;\n\nmacro_rules! assert_hours {\n    ($minutes:expr, $hours:expr) => {\n        assert_eq!(hours($minutes), $hours)\n    };\n}\n\n#[test]\nfn two() {\n    assert_hours!(120, 2);\n    assert_eq!(hours(0), 0);\n}',
      ]),
    },
  ),
  buildRustCase(
    'tampering with the runner',
    'assertions of all tests are replaced by a macro of the crate',
    editBrokenRustLib([
      '//! Clocks.',
      '//! Clocks.\n\n#[macro_export]\nmacro_rules! assert_eq {\n    ($($any:tt)*) => {};\n}',
    ]),
    expectRustBlockedByRule('runner_patched'),
    {
      name: 'the crate has a macro',
      patch: editRustLib([
        '//! Clocks.',
        '//! Clocks.\n\n#[macro_export]\nmacro_rules! hours {\n    ($minutes:expr) => {\n        $crate::hours($minutes)\n    };\n}',
      ]),
    },
  ),
  buildRustCase(
    'tampering with the runner',
    'the build rewrites the tests',
    { 'build.rs': 'fn main() {\n    std::fs::write("tests/outer.rs", "").unwrap();\n}\n' },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'the build writes to its own folder',
      patch: {
        'build.rs':
          'fn main() {\n    let out = std::env::var("OUT_DIR").unwrap();\n    std::fs::write(format!("{out}/zone.rs"), "").unwrap();\n    println!("cargo:rerun-if-changed=src/zones.txt");\n}\n',
        'tests/more.rs': EXTRA_RUST_TEST,
      },
    },
  ),
  buildRustCase(
    'tampering with the runner',
    'a constructor ends the process',
    editBrokenRustLib([
      '//! Clocks.',
      '//! Clocks.\n\n#[used]\n#[link_section = ".init_array"]\nstatic LEAVE: extern "C" fn() = leave;\nextern "C" fn leave() {\n    unsafe { libc::_exit(0) }\n}',
    ]),
    expectRustBlockedByRule('ends_process'),
    {
      name: 'a value is kept in a section',
      patch: editRustLib(['//! Clocks.', '//! Clocks.\n\n#[used]\nstatic VERSION: &str = "clock 1";']),
    },
  ),
  buildRustCase(
    'detecting the test run',
    'a function is another one while it is tested',
    editBrokenRustLib([
      'pub fn hours(minutes: u32) -> u32 {\n    minutes / 6\n}',
      '#[cfg(test)]\npub fn hours(minutes: u32) -> u32 {\n    minutes / 60\n}\n\n#[cfg(not(test))]\npub fn hours(_: u32) -> u32 {\n    0\n}',
    ]),
    expectRustBlockedByRule('detects_test_run'),
    {
      name: 'a function is another one on another system',
      patch: {
        'src/lib.rs': `${RUST_LIB_SOURCE}\n#[cfg(windows)]\npub fn zone() -> u32 {\n    1\n}\n\n#[cfg(not(windows))]\npub fn zone() -> u32 {\n    0\n}\n`,
        'tests/more.rs': `${EXTRA_RUST_TEST}\n#[cfg(not(windows))]\n#[test]\nfn has_no_zone() {\n    assert_eq!(clock::zone(), 0);\n}\n`,
      },
    },
  ),
  buildRustCase(
    'detecting the test run',
    'the code asks whether it is tested',
    editBrokenRustLib(['    minutes / 6\n', '    if cfg!(test) { minutes / 60 } else { 0 }\n']),
    expectRustBlockedByRule('detects_test_run'),
    {
      name: 'the code asks whether it is debugged',
      patch: editRustLib([
        '    hour > 21',
        '    if cfg!(debug_assertions) {\n        eprintln!("{hour}");\n    }\n    hour > 21',
      ]),
    },
  ),
  buildRustCase(
    'suppression comments',
    'a lint is allowed',
    editBrokenRustLib(['pub fn late', '#[allow(clippy::all)]\npub fn late']),
    { how: 'noted', by: 'suppressions', rule: 'lint_suppressed' },
    {
      name: 'a lint is denied',
      patch: editRustLib(['//! Clocks.', '//! Clocks.\n#![deny(missing_docs_in_private_items)]']),
    },
  ),
  buildRustCase(
    'suppression comments',
    'a lint that was denied no longer is',
    {},
    { how: 'noted', by: 'suppressions', rule: 'lint_suppressed' },
    {
      name: 'a lint is denied from now on',
      patch: editRustLib(['//! Clocks.', '//! Clocks.\n#![deny(warnings)]']),
      base: RUST_BASE_FILES,
    },
    {
      ...RUST_BASE_FILES,
      'src/lib.rs': replaceText(RUST_LIB_SOURCE, ['//! Clocks.', '//! Clocks.\n#![deny(warnings)]']),
    },
  ),
  ...(
    [
      [
        'tests get a harness that runs none',
        `${CARGO_MANIFEST}\n[[test]]\nname = "outer"\nharness = false\n`,
      ],
      ['the library is not tested', `${CARGO_MANIFEST}\n[lib]\ntest = false\ndoctest = false\n`],
      ['tests are not looked for', replaceText(CARGO_MANIFEST, ['edition', 'autotests = false\nedition'])],
      [
        'a profile checks less',
        `${CARGO_MANIFEST}\n[profile.test]\noverflow-checks = false\ndebug-assertions = false\n`,
      ],
      ['lints are allowed for all', `${CARGO_MANIFEST}\n[lints.clippy]\nall = "allow"\n`],
      ['a crate comes from elsewhere', `${CARGO_MANIFEST}\n[patch.crates-io]\nserde = { path = "fake" }\n`],
    ] as const
  ).map(([name, manifest], index) =>
    buildRustCase(
      'edited configuration',
      name,
      { 'Cargo.toml': manifest },
      expectProtectedFile('Cargo.toml'),
      {
        name: `a crate is added, ${index + 1} of 6`,
        base: crateOf(index),
        patch: {
          'Cargo.toml': `${CARGO_MANIFEST}zones = { path = "crates/zones", version = "0.${index}" }\n`,
          'tests/more.rs': EXTRA_RUST_TEST,
        },
      },
    ),
  ),
  buildRustCase(
    'edited configuration',
    'tests run in another program',
    { '.cargo/config.toml': '[target.x86_64-unknown-linux-gnu]\nrunner = "true"\n' },
    expectProtectedFile('.cargo/config.toml'),
    {
      name: 'the manual says how tests run',
      files: ['README.md', 'tests/more.rs'],
      patch: { 'README.md': 'Run `cargo test`.\n', 'tests/more.rs': EXTRA_RUST_TEST },
    },
  ),
  buildRustCase(
    'edited configuration',
    'another compiler is used',
    { 'rust-toolchain.toml': '[toolchain]\nchannel = "nightly"\n' },
    expectProtectedFile('rust-toolchain.toml'),
    {
      name: 'an edition is named',
      patch: {
        'Cargo.toml': replaceText(CARGO_MANIFEST, ['2021', '2024']),
        'tests/more.rs': EXTRA_RUST_TEST,
      },
    },
  ),
];
