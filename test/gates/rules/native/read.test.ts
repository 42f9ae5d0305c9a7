import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { nativeDeceits } from '../../../../gates/rules/native/deceits.ts';
import { goTests, isGoTest } from '../../../../gates/rules/native/go.ts';
import { lex } from '../../../../gates/rules/native/lex.ts';
import { nativeTests } from '../../../../gates/rules/native/look.ts';
import { rustTests } from '../../../../gates/rules/native/rust.ts';
import { cfgHolds } from '../../../../gates/rules/native/rust-cfg.ts';

describe('code is told from comments and strings', () => {
  test.each<['go' | 'rust', string, string]>([
    ['go', 'a := "x // y" // z', 'a := "      "     '],
    ['go', 'a := `\\` + b', 'a := " " + b'],
    ['go', "a := '\"' + b", 'a := " " + b'],
    ['rust', "fn f<'a>(x: &'a str) {}", "fn f<'a>(x: &'a str) {}"],
    ['rust', "let c = '\\''; d", 'let c = "  "; d'],
    ['rust', 'r#"a " b"# + c', 'r#"a " b"# + c'.replace('r#"a " b"#', '"        "')],
    ['rust', '/* a /* b */ c */ d', '                  d'],
    ['rust', '"a\nb" c', '" \n " c'.replace('" \n "', '" \n "')],
  ])('%s: %j', (language, text, code) => {
    const { code: found } = lex(language, text);
    expect(found.replace(/ /g, '')).toBe(code.replace(/ /g, ''));
    expect(found).toHaveLength(text.length);
  });

  test('and keeps its length and lines, whatever it is', () => {
    const piece = fc.constantFrom('"', "'", '`', '/', '*', '\\', '\n', '#', 'r', 'a', '{', '😀');
    fc.assert(
      fc.property(fc.constantFrom('go' as const, 'rust' as const), fc.array(piece), (language, pieces) => {
        const text = pieces.join('');
        const { code } = lex(language, text);
        expect(code).toHaveLength(text.length);
        expect(code.split('\n').map(({ length }) => length)).toEqual(
          text.split('\n').map(({ length }) => length),
        );
      }),
    );
  });
});

describe('go test looks', () => {
  test.each<[string, boolean]>([
    ['a_test.go', true],
    ['sub/a_linux_test.go', true],
    ['a_windows_test.go', false],
    ['a_darwin_arm64_test.go', false],
    ['testdata/a_test.go', false],
    ['_old/a_test.go', false],
    ['.old/a_test.go', false],
    ['_a_test.go', false],
    ['vendor/x/a_test.go', false],
    ['a_tst.go', false],
  ])('at %s: %s', (path, looks) => {
    expect(isGoTest(path)).toBe(looks);
  });

  test.each<[string, boolean]>([
    ['//go:build linux', true],
    ['//go:build !windows && (amd64 || arm64)', true],
    ['//go:build ignore', false],
    ['//go:build integration || slow', false],
    ['//go:build go1.18', true],
    ['// +build linux,amd64 windows', true],
    ['// +build never', false],
    ['// about go:build ignore', true],
  ])('at a file with %j: %s', (constraint, looks) => {
    const { cases } = goTests(
      'a_test.go',
      `${constraint}\n\npackage a\n\nfunc TestA(t *testing.T) { t.Fatal() }\n`,
    );
    expect(cases.map(({ skipped }) => skipped === null)).toEqual([looks]);
  });
});

test.each<[string, boolean]>([
  ['test', true],
  ['all(test, unix)', true],
  ['any()', false],
  ['all()', true],
  ['not(any())', true],
  ['all(test, feature = "slow")', false],
  ['not(feature = "slow")', true],
  ['target_os = "linux"', true],
  ['not(target_os = "windows")', true],
  ['not(test)', false],
  ['all(test', true],
])('the condition %s holds in a test run: %s', (condition, holds) => {
  expect(cfgHolds(condition)).toBe(holds);
});

describe('tests of Rust', () => {
  const names = (text: string, path = 'src/lib.rs'): string[] =>
    rustTests(path, text).cases.map(
      ({ name, skipped }) => `${name}${skipped === null ? '' : ` (${skipped})`}`,
    );

  test('are found with their attributes, whatever stands between', () => {
    expect(
      names(
        `#[ignore]\n// why\n#[test]\npub(crate) async fn a() {}\n#[tokio::test(flavor = "multi_thread")]\nasync fn b() {}\n#[rstest]\n#[case(1)]\nfn c(#[case] x: u32) {}\nfn d() {}\n`,
      ),
    ).toEqual(['a (it is ignored)', 'b', 'c']);
  });

  test('are left out with the modules that they are in', () => {
    expect(
      names(
        '#[cfg(any())]\nmod a {\n  mod b {\n    #[test]\n    fn c() {}\n  }\n}\n#[cfg(test)]\nmod d {\n  #[test]\n  fn e() {}\n}\n',
      ),
    ).toEqual(['c (a condition keeps it from being built)', 'e']);
  });

  test('stand in the manual too, but only where they are code', () => {
    expect(
      names(
        '//! ```\n//! a();\n//! ```\n\n/// ```text\n/// no\n/// ```\n/// ```should_panic\n/// b();\n/// ```\npub fn f() {}\n/// Plain.\npub fn g() {}\n',
      ),
    ).toEqual(['example 1 of the file', 'example 1 of f (it is marked should_panic)']);
  });
});

const text = (path: string, after: string, before: string | null = null) => ({
  path,
  from: before === null ? null : path,
  before,
  after,
});

test.each([
  ['go', 'func TestA(t *testing.T) {\n'],
  ['go', 'func A() {'],
  ['go', 'func TestA(t *testing.T) { go func() { '],
  ['go', '`'],
  ['go', 'if if if '],
  ['go', 'os.Exit('],
  ['rs', '#[test] fn a() {'],
  ['rs', 'mod a {'],
  ['rs', '#[cfg(test)] '],
  ['rs', '#[cfg_attr(all(), '],
  ['rs', '/*'],
  ['rs', '/// ```\n'],
  ['rs', 'fn a() { fn b() { '],
  ['rs', 'catch_unwind('],
  ['rs', "r####'"],
])('hostile code comes to an end: %s of %j', (ending, piece) => {
  const path = `a_test.${ending}`;
  const hostile = piece.repeat(Math.floor(500_000 / piece.length));
  const { after, tooLarge } = nativeTests([text(path, hostile)]);
  expect(after.length + tooLarge.length).toBe(1);
  expect(Array.isArray(nativeDeceits([text(`src/a.${ending}`, hostile)], []))).toBe(true);
});
