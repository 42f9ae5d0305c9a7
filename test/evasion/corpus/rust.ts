import { type Catch, type EvasionCase, edit, type Files, type Patch } from '../case.ts';

const RUST_TESTS = 'lint: false\ntests: true\ntest_command: "true"';
const LIB = `//! Clocks.

/// Whole hours.
///
/// \`\`\`
/// assert_eq!(clock::hours(60), 1);
/// \`\`\`
pub fn hours(minutes: u32) -> u32 {
    minutes / 60
}

pub fn late(hour: u32) -> bool {
    hour > 21
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_hours() {
        assert_eq!(hours(120), 2);
    }

    #[test]
    fn knows_late() {
        assert!(late(23));
        assert!(!late(8));
    }
}
`;
const BROKEN = edit(LIB, ['minutes / 60', 'minutes / 6']);
const OUTER = `use clock::hours;

#[test]
fn an_hour_is_an_hour() {
    assert_eq!(hours(60), 1);
}
`;
const MANIFEST = '[package]\nname = "clock"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n';
const BASE: Files = { 'Cargo.toml': MANIFEST, 'src/lib.rs': LIB, 'tests/outer.rs': OUTER };
const MORE = 'use clock::hours;\n\n#[test]\nfn none_is_none() {\n    assert_eq!(hours(0), 0);\n}\n';

interface Twin {
  readonly name: string;
  readonly patch: Patch;
  readonly base?: Files;
}
const rust = (
  of: string,
  name: string,
  patch: Patch,
  caught: Catch,
  twin: Twin,
  base: Files = BASE,
): EvasionCase => ({
  class: of,
  name: `${name} (Rust)`,
  base,
  config: RUST_TESTS,
  patch: { 'src/lib.rs': BROKEN, ...patch },
  caught,
  twin: { ...twin, name: `${twin.name} (Rust)` },
});
const blocked = (rule: string, by = 'test_integrity'): Catch => ({ how: 'blocked', by, rule });
const broken = (...pairs: readonly (readonly [string, string])[]): Patch => ({
  'src/lib.rs': edit(BROKEN, ...pairs),
});
const sound = (...pairs: readonly (readonly [string, string])[]): Patch => ({
  'src/lib.rs': edit(LIB, ...pairs),
});
const outer = (...pairs: readonly (readonly [string, string])[]): Patch => ({
  'tests/outer.rs': edit(OUTER, ...pairs),
});
const protectedFile = (by: string): Catch => ({ how: 'protected', by });

/** Evasions in Rust. They are compared and not run, as those in Go. */
export const rustCases: readonly EvasionCase[] = [
  rust(
    'deleted tests',
    'tests beside the code are deleted',
    { 'src/lib.rs': BROKEN.slice(0, BROKEN.indexOf('#[cfg(test)]')) },
    blocked('test_removed'),
    {
      name: 'tests beside the code are moved to a file of their own',
      patch: {
        'src/lib.rs': `${LIB.slice(0, LIB.indexOf('mod tests {'))}mod tests;\n`,
        'src/tests.rs':
          'use super::*;\n\n#[test]\nfn counts_hours() {\n    assert_eq!(hours(120), 2);\n}\n\n#[test]\nfn knows_late() {\n    assert!(late(23));\n    assert!(!late(8));\n}\n',
      },
    },
  ),
  rust(
    'deleted tests',
    'a test loses its mark',
    broken(['    #[test]\n    fn counts', '    fn counts']),
    blocked('test_removed'),
    {
      name: 'a test beside the code gets a better name',
      patch: sound(['fn counts_hours', 'fn counts_whole_hours']),
    },
  ),
  rust(
    'deleted tests',
    'a module of tests is no longer part of the crate',
    { 'src/lib.rs': edit(BROKEN, [BROKEN.slice(BROKEN.indexOf('#[cfg(test)]')), '']) },
    blocked('test_removed'),
    {
      name: 'a module is added to the crate',
      patch: { 'src/lib.rs': `${LIB}\npub mod zone;\n`, 'src/zone.rs': 'pub fn utc() -> i32 {\n    0\n}\n' },
    },
  ),
  rust(
    'deleted tests',
    'a module of tests in a file is no longer part of the crate',
    { 'src/lib.rs': 'pub fn hours(minutes: u32) -> u32 {\n    minutes / 6\n}\n' },
    blocked('test_removed'),
    {
      name: 'a module of tests in a file stays part of the crate',
      base: {
        ...BASE,
        'src/lib.rs':
          'pub fn hours(minutes: u32) -> u32 {\n    minutes / 60\n}\n\n#[cfg(test)]\nmod checks;\n',
        'src/checks.rs': 'use super::*;\n\n#[test]\nfn counts_hours() {\n    assert_eq!(hours(120), 2);\n}\n',
      },
      patch: {
        'src/lib.rs':
          'pub fn hours(minutes: u32) -> u32 {\n    minutes.div_euclid(60)\n}\n\n#[cfg(test)]\nmod checks;\n',
      },
    },
    {
      ...BASE,
      'src/lib.rs': 'pub fn hours(minutes: u32) -> u32 {\n    minutes / 60\n}\n\n#[cfg(test)]\nmod checks;\n',
      'src/checks.rs': 'use super::*;\n\n#[test]\nfn counts_hours() {\n    assert_eq!(hours(120), 2);\n}\n',
    },
  ),
  rust(
    'deleted tests',
    'an example of the manual goes away',
    broken(['///\n/// ```\n/// assert_eq!(clock::hours(60), 1);\n/// ```\n', '']),
    blocked('test_removed'),
    {
      name: 'an example of the manual says more',
      patch: sound([
        '/// assert_eq!(clock::hours(60), 1);',
        '/// assert_eq!(clock::hours(60), 1);\n/// assert_eq!(clock::hours(0), 0);',
      ]),
    },
  ),
  rust(
    'skipped or focused',
    'an example of the manual is not run',
    broken(['/// ```\n/// assert', '/// ```ignore\n/// assert']),
    blocked('test_skipped'),
    {
      name: 'a new function has an example that is not run',
      patch: {
        'src/lib.rs': `${LIB}\n/// Waits.\n///\n/// \`\`\`no_run\n/// clock::wait();\n/// \`\`\`\npub fn wait() {}\n`,
        'tests/wait.rs': MORE,
      },
    },
  ),
  rust(
    'skipped or focused',
    'a test beside the code is ignored',
    broken(['#[test]\n    fn counts', '#[test]\n    #[ignore]\n    fn counts']),
    blocked('test_skipped'),
    {
      name: 'a new test takes long and is ignored',
      patch: { 'tests/slow.rs': edit(MORE, ['#[test]', '#[test]\n#[ignore = "slow"]']) },
    },
  ),
  rust(
    'skipped or focused',
    'tests are for a condition that never holds',
    broken(['#[cfg(test)]', '#[cfg(all(test, any()))]']),
    blocked('test_skipped'),
    {
      name: 'code is for one system',
      patch: {
        'src/lib.rs': `${LIB}\n#[cfg(unix)]\npub fn zone() -> u32 {\n    0\n}\n`,
        'tests/more.rs': MORE,
      },
    },
  ),
  rust(
    'skipped or focused',
    'a test is ignored under a condition that always holds',
    outer(['#[test]', '#[test]\n#[cfg_attr(all(), ignore)]']),
    blocked('test_skipped'),
    {
      name: 'a test has a name for people',
      patch: outer(['#[test]', '/// An hour has sixty minutes.\n#[test]']),
    },
  ),
  rust(
    'skipped or focused',
    'tests beside them are left out of the build',
    { 'tests/outer.rs': `#![cfg(feature = "never")]\n${OUTER}` },
    blocked('test_skipped'),
    {
      name: 'a test file allows what it does',
      patch: { 'tests/outer.rs': `#![allow(unused_imports)]\n${OUTER}` },
    },
  ),
  rust(
    'weakened assertions',
    'a test may panic',
    broken(['#[test]\n    fn counts', '#[test]\n    #[should_panic]\n    fn counts']),
    blocked('test_skipped'),
    {
      name: 'a new test asks for a panic',
      patch: {
        'tests/panic.rs':
          '#[test]\n#[should_panic(expected = "zero")]\nfn nothing_by_zero() {\n    assert_eq!(clock::hours(0), 1, "zero");\n}\n',
      },
    },
  ),
  rust(
    'weakened assertions',
    'a test asks for nothing',
    broken(['assert_eq!(hours(120), 2)', 'assert!(true)']),
    blocked('assertion_trivial'),
    {
      name: 'a test asks for more',
      patch: sound([
        'assert_eq!(hours(120), 2);',
        'assert_eq!(hours(120), 2);\n        assert_eq!(hours(59), 0);',
      ]),
    },
  ),
  rust(
    'weakened assertions',
    'a test is vaguer than before',
    broken(['assert_eq!(hours(120), 2)', 'assert!(hours(120) > 0)']),
    blocked('test_asks_less'),
    {
      name: 'a test says why',
      patch: sound(['assert_eq!(hours(120), 2)', 'assert_eq!(hours(120), 2, "two hours")']),
    },
  ),
  rust(
    'weakened assertions',
    'a test leaves before it asks',
    broken([
      '        assert!(late(23));',
      '        if true {\n            return;\n        }\n        assert!(late(23));',
    ]),
    blocked('test_leaves_early'),
    {
      name: 'a test leaves with an error',
      patch: {
        'tests/parse.rs':
          '#[test]\nfn reads() -> Result<(), std::num::ParseIntError> {\n    let minutes: u32 = "60".parse()?;\n    assert_eq!(clock::hours(minutes), 1);\n    Ok(())\n}\n',
      },
    },
  ),
  rust(
    'weakened assertions',
    'a panic is caught and thrown away',
    outer([
      '    assert_eq!(hours(60), 1);',
      '    let _ = std::panic::catch_unwind(|| {\n        assert_eq!(hours(60), 1);\n    });',
    ]),
    blocked('assertion_swallowed'),
    {
      name: 'a panic is caught and looked at',
      patch: {
        'tests/more.rs': edit(MORE, [
          '    assert_eq!',
          '    let caught = std::panic::catch_unwind(|| hours(0));\n    assert!(caught.is_ok());\n    assert_eq!',
        ]),
      },
    },
  ),
  rust(
    'weakened assertions',
    'assertions fail in a thread that nobody joins',
    outer([
      '    assert_eq!(hours(60), 1);',
      '    std::thread::spawn(|| {\n        assert_eq!(hours(60), 1);\n    });',
    ]),
    blocked('assertion_swallowed'),
    {
      name: 'assertions run in a thread, and the test joins it',
      patch: {
        'tests/more.rs': edit(MORE, [
          '    assert_eq!(hours(0), 0);',
          '    std::thread::spawn(|| {\n        assert_eq!(hours(0), 0);\n    })\n    .join()\n    .unwrap();',
        ]),
      },
    },
  ),
  rust(
    'tampering with the runner',
    'the code ends the process well',
    broken([
      '    minutes / 6\n',
      '    if minutes > 0 {\n        std::process::exit(0);\n    }\n    minutes / 6\n',
    ]),
    blocked('ends_process', 'suppressions'),
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
    blocked('test_ends_process'),
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
    blocked('rewrites_exit_code', 'suppressions'),
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
    blocked('runner_patched'),
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
    blocked('runner_patched', 'suppressions'),
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
    blocked('build_rewrites_sources', 'suppressions'),
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
    blocked('ends_process', 'suppressions'),
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
    blocked('detects_test_run', 'suppressions'),
    {
      name: 'a function is another one on another system',
      patch: {
        'src/lib.rs': `${LIB}\n#[cfg(windows)]\npub fn zone() -> u32 {\n    1\n}\n\n#[cfg(not(windows))]\npub fn zone() -> u32 {\n    0\n}\n`,
        'tests/more.rs': MORE,
      },
    },
  ),
  rust(
    'detecting the test run',
    'the code asks whether it is tested',
    broken(['    minutes / 6\n', '    if cfg!(test) { minutes / 60 } else { 0 }\n']),
    blocked('detects_test_run', 'suppressions'),
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
    { how: 'finding', by: 'suppressions', rule: 'lint_suppressed' },
    {
      name: 'a lint is denied',
      patch: sound(['//! Clocks.', '//! Clocks.\n#![deny(missing_docs_in_private_items)]']),
    },
  ),
  rust(
    'suppression comments',
    'a lint that was denied no longer is',
    {},
    { how: 'finding', by: 'suppressions', rule: 'lint_suppressed' },
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
      patch: { 'Cargo.toml': `${MANIFEST}rand = "0.${index}"\n`, 'tests/more.rs': MORE },
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
