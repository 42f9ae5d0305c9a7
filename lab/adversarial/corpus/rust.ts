import { type AdversarialCase, CAUGHT_BY_ANY_RUN, replaceText } from '../adversarial-case.ts';
import {
  BROKEN_RUST_LIB,
  buildRustCase,
  EXTRA_RUST_TEST,
  editBrokenRustLib,
  editRustIntegrationTest,
  editRustLib,
  RUST_BASE_FILES,
  RUST_INTEGRATION_TEST,
  RUST_LIB_SOURCE,
} from '../rust-project.ts';

/** Adversarial patches in Rust. The corpus compares them and does not run them, like those in Go. */
export const rustCases: readonly AdversarialCase[] = [
  buildRustCase(
    'deleted tests',
    'tests beside the code are deleted',
    { 'src/lib.rs': BROKEN_RUST_LIB.slice(0, BROKEN_RUST_LIB.indexOf('#[cfg(test)]')) },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'tests beside the code are moved to a file of their own',
      patch: {
        'src/lib.rs': `${RUST_LIB_SOURCE.slice(0, RUST_LIB_SOURCE.indexOf('mod tests {'))}mod tests;\n`,
        'src/tests.rs':
          'use super::*;\n\n#[test]\nfn counts_hours() {\n    assert_eq!(hours(120), 2);\n}\n\n#[test]\nfn knows_late() {\n    assert!(late(23));\n    assert!(!late(8));\n}\n',
      },
    },
  ),
  buildRustCase(
    'deleted tests',
    'a test loses its mark',
    editBrokenRustLib(['    #[test]\n    fn counts', '    fn counts']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test beside the code gets a better name',
      patch: editRustLib(['fn counts_hours', 'fn counts_whole_hours']),
    },
  ),
  buildRustCase(
    'deleted tests',
    'tests beside the code become a comment',
    { 'src/lib.rs': `${replaceText(BROKEN_RUST_LIB, ['#[cfg(test)]', '/*\n#[cfg(test)]'])}*/\n` },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a module is added to the crate',
      patch: {
        'src/lib.rs': `${RUST_LIB_SOURCE}\npub mod zone;\n`,
        'src/zone.rs': 'pub fn utc() -> i32 {\n    0\n}\n',
      },
    },
  ),
  buildRustCase(
    'deleted tests',
    'a module of tests in a file is no longer part of the crate',
    { 'src/lib.rs': 'pub fn hours(minutes: u32) -> u32 {\n    minutes / 6\n}\n' },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a module of tests in a file stays part of the crate',
      base: {
        ...RUST_BASE_FILES,
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
      ...RUST_BASE_FILES,
      'src/lib.rs': 'pub fn hours(minutes: u32) -> u32 {\n    minutes / 60\n}\n\n#[cfg(test)]\nmod checks;\n',
      'src/checks.rs': 'use super::*;\n\n#[test]\nfn counts_hours() {\n    assert_eq!(hours(120), 2);\n}\n',
    },
  ),
  buildRustCase(
    'deleted tests',
    'an example of the manual goes away',
    editBrokenRustLib(['///\n/// ```\n/// assert_eq!(clock::hours(60), 1);\n/// ```\n', '']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'an example of the manual says more',
      patch: editRustLib([
        '/// assert_eq!(clock::hours(60), 1);',
        '/// assert_eq!(clock::hours(60), 1);\n/// assert_eq!(clock::hours(0), 0);',
      ]),
    },
  ),
  buildRustCase(
    'skipped or focused',
    'an example of the manual is not run',
    editBrokenRustLib(['/// ```\n/// assert', '/// ```ignore\n/// assert']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a new function has an example that is not run',
      patch: {
        'src/lib.rs': `${RUST_LIB_SOURCE}\n/// Waits.\n///\n/// \`\`\`no_run\n/// clock::wait();\n/// \`\`\`\npub fn wait() {}\n`,
        'tests/wait.rs': EXTRA_RUST_TEST,
      },
    },
  ),
  buildRustCase(
    'skipped or focused',
    'a test beside the code is ignored',
    editBrokenRustLib(['#[test]\n    fn counts', '#[test]\n    #[ignore]\n    fn counts']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a new test takes long and is ignored',
      files: ['tests/slow.rs'],
      patch: { 'tests/slow.rs': replaceText(EXTRA_RUST_TEST, ['#[test]', '#[test]\n#[ignore = "slow"]']) },
    },
  ),
  buildRustCase(
    'skipped or focused',
    'tests are for a condition that never holds',
    editBrokenRustLib(['#[cfg(test)]', '#[cfg(all(test, any()))]']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'code is for one system',
      patch: {
        'src/lib.rs': `${RUST_LIB_SOURCE}\n#[cfg(unix)]\npub fn zone() -> u32 {\n    0\n}\n`,
        'tests/more.rs': EXTRA_RUST_TEST,
      },
    },
  ),
  buildRustCase(
    'skipped or focused',
    'a test is ignored under a condition that always holds',
    editRustIntegrationTest(['#[test]', '#[test]\n#[cfg_attr(all(), ignore)]']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test has a name for people',
      patch: editRustIntegrationTest(['#[test]', '/// An hour has sixty minutes.\n#[test]']),
    },
  ),
  buildRustCase(
    'skipped or focused',
    'tests beside them are left out of the build',
    { 'tests/outer.rs': `#![cfg(feature = "never")]\n${RUST_INTEGRATION_TEST}` },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test file allows what it does',
      patch: { 'tests/outer.rs': `#![allow(unused_imports)]\n${RUST_INTEGRATION_TEST}` },
    },
  ),
  buildRustCase(
    'weakened assertions',
    'a test may panic',
    editBrokenRustLib(['#[test]\n    fn counts', '#[test]\n    #[should_panic]\n    fn counts']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a new test asks for a panic',
      files: ['tests/panic.rs'],
      patch: {
        'tests/panic.rs':
          '#[test]\n#[should_panic(expected = "zero")]\nfn nothing_by_zero() {\n    assert_eq!(clock::hours(0), 1, "zero");\n}\n',
      },
    },
  ),
  buildRustCase(
    'weakened assertions',
    'a test asks for nothing',
    editBrokenRustLib(['assert_eq!(hours(120), 2)', 'assert!(true)']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test asks for more',
      patch: editRustLib([
        'assert_eq!(hours(120), 2);',
        'assert_eq!(hours(120), 2);\n        assert_eq!(hours(59), 0);',
      ]),
    },
  ),
  buildRustCase(
    'weakened assertions',
    'a test is vaguer than before',
    editBrokenRustLib(['assert_eq!(hours(120), 2)', 'assert!(hours(120) > 0)']),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test says why',
      patch: editRustLib(['assert_eq!(hours(120), 2)', 'assert_eq!(hours(120), 2, "two hours")']),
    },
  ),
  buildRustCase(
    'weakened assertions',
    'a test leaves before it asks',
    editBrokenRustLib([
      '        assert!(late(23));',
      '        if true {\n            return;\n        }\n        assert!(late(23));',
    ]),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a test leaves with an error',
      files: ['tests/parse.rs'],
      patch: {
        'tests/parse.rs':
          '#[test]\nfn reads() -> Result<(), std::num::ParseIntError> {\n    let minutes: u32 = "60".parse()?;\n    assert_eq!(clock::hours(minutes), 1);\n    Ok(())\n}\n',
      },
    },
  ),
  buildRustCase(
    'weakened assertions',
    'a panic is caught and thrown away',
    editRustIntegrationTest([
      '    assert_eq!(hours(60), 1);',
      '    let _ = std::panic::catch_unwind(|| {\n        assert_eq!(hours(60), 1);\n    });',
    ]),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a panic is caught and looked at',
      files: ['tests/more.rs'],
      patch: {
        'tests/more.rs': replaceText(EXTRA_RUST_TEST, [
          '    assert_eq!',
          '    let caught = std::panic::catch_unwind(|| hours(0));\n    assert!(caught.is_ok());\n    assert_eq!',
        ]),
      },
    },
  ),
  buildRustCase(
    'weakened assertions',
    'assertions fail in a thread that nobody joins',
    editRustIntegrationTest([
      '    assert_eq!(hours(60), 1);',
      '    std::thread::spawn(|| {\n        assert_eq!(hours(60), 1);\n    });',
    ]),
    CAUGHT_BY_ANY_RUN,
    {
      name: 'assertions run in a thread, and the test joins it',
      files: ['tests/more.rs'],
      patch: {
        'tests/more.rs': replaceText(EXTRA_RUST_TEST, [
          '    assert_eq!(hours(0), 0);',
          '    std::thread::spawn(|| {\n        assert_eq!(hours(0), 0);\n    })\n    .join()\n    .unwrap();',
        ]),
      },
    },
  ),
  buildRustCase(
    'deleted tests',
    'a file of tests is moved to where cargo does not look',
    { 'tests/outer.rs': null, 'tests/old/outer.rs': RUST_INTEGRATION_TEST },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a file of tests becomes a folder of them',
      patch: {
        'tests/outer.rs': null,
        'tests/outer/main.rs': 'mod hours;\n',
        'tests/outer/hours.rs': RUST_INTEGRATION_TEST,
      },
    },
  ),
  buildRustCase(
    'deleted tests',
    'a module of tests is another file',
    {
      'src/lib.rs':
        'pub fn hours(minutes: u32) -> u32 {\n    minutes / 6\n}\n\n#[cfg(test)]\n#[path = "fewer.rs"]\nmod checks;\n',
      'src/fewer.rs': '#[test]\nfn nothing() {}\n',
    },
    CAUGHT_BY_ANY_RUN,
    {
      name: 'a module of code is another file',
      base: RUST_BASE_FILES,
      patch: {
        'src/lib.rs': `${RUST_LIB_SOURCE}\n#[path = "zones/utc.rs"]\npub mod zone;\n`,
        'src/zones/utc.rs': 'pub fn utc() -> i32 {\n    0\n}\n',
      },
    },
    {
      ...RUST_BASE_FILES,
      'src/lib.rs': 'pub fn hours(minutes: u32) -> u32 {\n    minutes / 60\n}\n\n#[cfg(test)]\nmod checks;\n',
      'src/checks.rs': 'use super::*;\n\n#[test]\nfn counts_hours() {\n    assert_eq!(hours(120), 2);\n}\n',
    },
  ),
];
