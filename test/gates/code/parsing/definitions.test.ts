import { expect, test } from 'vitest';
import { collectDefinedNames } from '../../../../gates/code/parsing/definitions.ts';
import { parseSource } from '../../../../gates/code/parsing/parse-source.ts';
import { grammarOfPath } from '../../../../gates/core/language.ts';

test.each<[string, string, string[]]>([
  [
    'a.py',
    'class A:\n    F = 1\n    def b(self):\n        def c():\n            d = 1\n\ndef e(): pass\nG = 2\nA.h = 3\n',
    ['A', 'F', 'b', 'e', 'G'],
  ],
  [
    'a.js',
    'export function a() { const b = 1; function c() {} }\nclass D { e() { const f = 1; } }\nexports.g = () => 1;\nconst h = { i() {}, j: () => 1, k: 2 };\n',
    ['a', 'D', 'e', 'g', 'h', 'i', 'j'],
  ],
  [
    'a.ts',
    'export const a = (b: number): number => b;\ninterface C { d(): void }\ntype E = 1;\n',
    ['a', 'C', 'd', 'E'],
  ],
  [
    'a.go',
    'package a\n\ntype A struct{ b int }\n\nfunc (a A) C() int { d := 1; return d }\n\nfunc E() {}\n\nvar F = 1\n',
    ['A', 'b', 'C', 'E', 'F'],
  ],
  [
    'a.rs',
    'pub struct A;\nimpl A {\n    pub fn b(&self) { let c = 1; }\n}\nconst D: u8 = 1;\n#[cfg(test)]\nmod tests {\n    fn e() {}\n}\n',
    ['A', 'b', 'D'],
  ],
])('what %s defines for others', async (path, source, expected) => {
  const grammar = grammarOfPath(path);
  if (grammar === null) throw new Error(path);
  expect([...collectDefinedNames((await parseSource(grammar, source)).root)].toSorted()).toEqual(
    expected.toSorted(),
  );
});
