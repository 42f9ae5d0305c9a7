import { type Catch, type EvasionCase, edit, type Files, type Patch } from './case.ts';

export const RUST_TESTS = 'lint: false\ntests: true\ntest_command: cargo test --offline';
export const LIB = `//! Clocks.

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
export const BROKEN = edit(LIB, ['minutes / 60', 'minutes / 6']);
export const OUTER = `use clock::hours;

#[test]
fn an_hour_is_an_hour() {
    assert_eq!(hours(60), 1);
}
`;
export const MANIFEST = '[package]\nname = "clock"\nversion = "0.1.0"\nedition = "2021"\n\n[dependencies]\n';
export const BASE: Files = { 'Cargo.toml': MANIFEST, 'src/lib.rs': LIB, 'tests/outer.rs': OUTER };
export const MORE = 'use clock::hours;\n\n#[test]\nfn none_is_none() {\n    assert_eq!(hours(0), 0);\n}\n';

interface Twin {
  readonly name: string;
  readonly patch: Patch;
  readonly base?: Files;
}
export const rust = (
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
export const blocked = (rule: string): Catch => ({ how: 'blocked', by: 'suppressions', rule });
export const broken = (...pairs: readonly (readonly [string, string])[]): Patch => ({
  'src/lib.rs': edit(BROKEN, ...pairs),
});
export const sound = (...pairs: readonly (readonly [string, string])[]): Patch => ({
  'src/lib.rs': edit(LIB, ...pairs),
});
export const outer = (...pairs: readonly (readonly [string, string])[]): Patch => ({
  'tests/outer.rs': edit(OUTER, ...pairs),
});
export const protectedFile = (by: string): Catch => ({ how: 'protected', by });
