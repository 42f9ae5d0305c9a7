import {
  type AdversarialCase,
  type CaseFiles,
  type ExpectedCatch,
  type PatchFiles,
  replaceText,
} from './adversarial-case.ts';

export const RUST_TEST_CONFIG = 'lint: false\ntests: true\ntest_command: cargo test --offline';
export const RUST_LIB_SOURCE = `//! Clocks.

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
export const BROKEN_RUST_LIB = replaceText(RUST_LIB_SOURCE, ['minutes / 60', 'minutes / 6']);
export const RUST_INTEGRATION_TEST = `use clock::hours;

#[test]
fn an_hour_is_an_hour() {
    assert_eq!(hours(60), 1);
}
`;
export const CARGO_MANIFEST =
  '[package]\nname = "clock"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n';
export const RUST_BASE_FILES: CaseFiles = {
  'Cargo.toml': CARGO_MANIFEST,
  'src/lib.rs': RUST_LIB_SOURCE,
  'tests/outer.rs': RUST_INTEGRATION_TEST,
};
export const EXTRA_RUST_TEST =
  'use clock::hours;\n\n#[test]\nfn none_is_none() {\n    assert_eq!(hours(0), 0);\n}\n';

interface Twin {
  readonly name: string;
  readonly patch: PatchFiles;
  readonly files?: readonly string[];
  readonly base?: CaseFiles;
}
export const buildRustCase = (
  of: string,
  name: string,
  patch: PatchFiles,
  caught: ExpectedCatch,
  twin: Twin,
  base: CaseFiles = RUST_BASE_FILES,
): AdversarialCase => ({
  class: of,
  name: `${name} (Rust)`,
  base,
  config: RUST_TEST_CONFIG,
  patch: { 'src/lib.rs': BROKEN_RUST_LIB, ...patch },
  expectedCatch: caught,
  honestTwin: { ...twin, name: `${twin.name} (Rust)` },
});
export const expectRustBlockedByRule = (rule: string): ExpectedCatch => ({
  how: 'blocked',
  by: 'suppressions',
  rule,
});
export const editBrokenRustLib = (...pairs: readonly (readonly [string, string])[]): PatchFiles => ({
  'src/lib.rs': replaceText(BROKEN_RUST_LIB, ...pairs),
});
export const editRustLib = (...pairs: readonly (readonly [string, string])[]): PatchFiles => ({
  'src/lib.rs': replaceText(RUST_LIB_SOURCE, ...pairs),
});
export const editRustIntegrationTest = (...pairs: readonly (readonly [string, string])[]): PatchFiles => ({
  'tests/outer.rs': replaceText(RUST_INTEGRATION_TEST, ...pairs),
});
export const expectProtectedFile = (by: string): ExpectedCatch => ({ how: 'protected', by });
