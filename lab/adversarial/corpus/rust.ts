import { type EvasionCase, edit, HELD } from '../case.ts';
import { BASE, BROKEN, broken, LIB, MORE, OUTER, outer, rust, sound } from '../rust-project.ts';

/** Evasions in Rust. They are compared and not run, as those in Go. */
export const rustCases: readonly EvasionCase[] = [
  rust(
    'deleted tests',
    'tests beside the code are deleted',
    { 'src/lib.rs': BROKEN.slice(0, BROKEN.indexOf('#[cfg(test)]')) },
    HELD,
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
    HELD,
    {
      name: 'a test beside the code gets a better name',
      patch: sound(['fn counts_hours', 'fn counts_whole_hours']),
    },
  ),
  rust(
    'deleted tests',
    'tests beside the code become a comment',
    { 'src/lib.rs': `${edit(BROKEN, ['#[cfg(test)]', '/*\n#[cfg(test)]'])}*/\n` },
    HELD,
    {
      name: 'a module is added to the crate',
      patch: { 'src/lib.rs': `${LIB}\npub mod zone;\n`, 'src/zone.rs': 'pub fn utc() -> i32 {\n    0\n}\n' },
    },
  ),
  rust(
    'deleted tests',
    'a module of tests in a file is no longer part of the crate',
    { 'src/lib.rs': 'pub fn hours(minutes: u32) -> u32 {\n    minutes / 6\n}\n' },
    HELD,
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
    HELD,
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
    HELD,
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
    HELD,
    {
      name: 'a new test takes long and is ignored',
      patch: { 'tests/slow.rs': edit(MORE, ['#[test]', '#[test]\n#[ignore = "slow"]']) },
    },
  ),
  rust(
    'skipped or focused',
    'tests are for a condition that never holds',
    broken(['#[cfg(test)]', '#[cfg(all(test, any()))]']),
    HELD,
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
    HELD,
    {
      name: 'a test has a name for people',
      patch: outer(['#[test]', '/// An hour has sixty minutes.\n#[test]']),
    },
  ),
  rust(
    'skipped or focused',
    'tests beside them are left out of the build',
    { 'tests/outer.rs': `#![cfg(feature = "never")]\n${OUTER}` },
    HELD,
    {
      name: 'a test file allows what it does',
      patch: { 'tests/outer.rs': `#![allow(unused_imports)]\n${OUTER}` },
    },
  ),
  rust(
    'weakened assertions',
    'a test may panic',
    broken(['#[test]\n    fn counts', '#[test]\n    #[should_panic]\n    fn counts']),
    HELD,
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
    HELD,
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
    HELD,
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
    HELD,
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
    HELD,
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
    HELD,
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
    'deleted tests',
    'a file of tests is moved to where cargo does not look',
    { 'tests/outer.rs': null, 'tests/old/outer.rs': OUTER },
    HELD,
    {
      name: 'a file of tests becomes a folder of them',
      patch: { 'tests/outer.rs': null, 'tests/outer/main.rs': 'mod hours;\n', 'tests/outer/hours.rs': OUTER },
    },
  ),
  rust(
    'deleted tests',
    'a module of tests is another file',
    {
      'src/lib.rs':
        'pub fn hours(minutes: u32) -> u32 {\n    minutes / 6\n}\n\n#[cfg(test)]\n#[path = "fewer.rs"]\nmod checks;\n',
      'src/fewer.rs': '#[test]\nfn nothing() {}\n',
    },
    HELD,
    {
      name: 'a module of code is another file',
      base: BASE,
      patch: {
        'src/lib.rs': `${LIB}\n#[path = "zones/utc.rs"]\npub mod zone;\n`,
        'src/zones/utc.rs': 'pub fn utc() -> i32 {\n    0\n}\n',
      },
    },
    {
      ...BASE,
      'src/lib.rs': 'pub fn hours(minutes: u32) -> u32 {\n    minutes / 60\n}\n\n#[cfg(test)]\nmod checks;\n',
      'src/checks.rs': 'use super::*;\n\n#[test]\nfn counts_hours() {\n    assert_eq!(hours(120), 2);\n}\n',
    },
  ),
];
