import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { beforeEach, vi } from 'vitest';
import { autoFormatGate } from '../../../gates/gates/auto-format.ts';
import { commentQualityGate } from '../../../gates/gates/comment-quality.ts';
import { complexityCheckGate } from '../../../gates/gates/complexity-check.ts';
import { coverageDeltaGate } from '../../../gates/gates/coverage-delta.ts';
import { depAuditGate } from '../../../gates/gates/dep-audit.ts';
import { lintGate } from '../../../gates/gates/lint.ts';
import { mutationTestingGate } from '../../../gates/gates/mutation-testing.ts';
import { testsGate } from '../../../gates/gates/tests.ts';
import { typeCheckGate } from '../../../gates/gates/type-check.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';
import { findProgram } from '../../support/test-tools.ts';
import { type RealCase, realTools } from './cases.ts';

const MOD = { 'go.mod': 'module example.org/a\n\ngo 1.20\n' };
const ODD = 'lib/ü (1) x.go';
const printf = (name: string): string => `\nfunc ${name}() {\n\tfmt.Printf("%d", "x")\n}\n`;
const GOLANGCI = { ...MOD, '.golangci.yml': 'version: "2"\n' };
const MAX = 'package lib\n\nfunc Max(a, b int) int {\n\tif a > b {\n\t\treturn a\n\t}\n\treturn b\n}\n';
const MAX_TEST = (a: number, b: number): string =>
  `package lib\n\nimport "testing"\n\nfunc TestMax(t *testing.T) {\n\tif Max(${a}, ${b}) != ${Math.max(a, b)} {\n\t\tt.Fatal("wrong")\n\t}\n}\n`;

const LINT: readonly RealCase[] = [
  {
    what: 'go vet passes a clean patch',
    gate: lintGate,
    needs: 'go',
    base: { ...MOD, 'a.go': 'package a\n' },
    edits: { 'a.go': 'package a\n\nvar X = 1\n' },
    outcome: 'passed',
    findings: [],
    facts: { tool: 'go', exit_code: 0 },
  },
  {
    what: 'go vet tells a new complaint from an old one, in files with odd names, in the module that they are in',
    gate: lintGate,
    needs: 'go',
    base: {
      'svc/go.mod': MOD['go.mod'],
      'svc/a.go': `package a\n\nimport "fmt"\n${printf('Old')}`,
    },
    edits: { [`svc/${ODD}`]: `package lib\n\nimport "fmt"\n${printf('New')}` },
    outcome: 'failed',
    findings: [`svc/${ODD}:6 vet/printf`, 'svc/a.go:6 vet/printf (before)'],
    facts: { folder: 'svc', exit_code: 0 },
  },
  {
    what: 'go vet is not silenced by code that does not parse',
    gate: lintGate,
    needs: 'go',
    base: { ...MOD, 'a.go': 'package a\n' },
    edits: { 'a.go': 'package a\n\nfunc F() {\n' },
    outcome: 'failed',
    detail: /expected '}', found 'EOF'/,
  },
  {
    what: 'golangci-lint tells a new complaint from an old one, in files with odd names',
    gate: lintGate,
    needs: 'golangci-lint',
    base: { ...GOLANGCI, 'a.go': `package a\n\nimport "fmt"\n${printf('Old')}` },
    edits: { [ODD]: `package lib\n\nimport "fmt"\n${printf('New')}` },
    outcome: 'failed',
    findings: [`${ODD}:6 govet`, 'a.go:6 govet (before)'],
    facts: { tool: 'golangci-lint', exit_code: 1 },
  },
  {
    what: 'golangci-lint is not silenced by code that does not compile',
    gate: lintGate,
    needs: 'golangci-lint',
    base: { ...GOLANGCI, 'a.go': 'package a\n\nfunc F() int {\n\treturn 1\n}\n' },
    edits: { 'a.go': 'package a\n\nfunc F() int {\n\treturn "1"\n}\n' },
    outcome: 'failed',
    findings: ['a.go:4 typecheck'],
  },
  {
    what: 'golangci-lint with a broken configuration in the base says nothing about the patch',
    gate: lintGate,
    needs: 'golangci-lint',
    base: { ...MOD, '.golangci.yml': 'linters: [', 'a.go': 'package a\n' },
    edits: { 'a.go': 'package a\n\nvar X = 1\n' },
    outcome: 'could_not_run',
    detail: /breaks on the base too.*exit 3/s,
  },
  {
    what: 'gofmt says which file it would write differently, whatever its name',
    gate: autoFormatGate,
    needs: 'gofmt',
    base: MOD,
    edits: { [ODD]: 'package lib\nvar  X = 1\n', 'b.go': 'package a\n' },
    outcome: 'passed',
    findings: [`${ODD}:null not_formatted`],
  },
];

const BUILD: readonly RealCase[] = [
  {
    what: 'go build tells a new complaint from an old one, in files with odd names',
    gate: typeCheckGate,
    needs: 'go',
    base: { ...MOD, 'old/a.go': 'package old\n\nvar X int = ""\n' },
    edits: { [ODD]: 'package lib\n\nvar Y int = ""\n' },
    outcome: 'failed',
    findings: [`${ODD}:3 compile`, 'old/a.go:3 compile (before)'],
    facts: { exit_code: 1 },
  },
  {
    what: 'go test passes a clean patch, in each of two modules',
    gate: testsGate,
    needs: 'go',
    base: {
      'a/go.mod': 'module example.org/a\n\ngo 1.20\n',
      'a/lib/max.go': MAX,
      'b/go.mod': 'module example.org/b\n\ngo 1.20\n',
      'b/lib/max.go': MAX,
    },
    edits: { 'a/lib/max_test.go': MAX_TEST(1, 2), 'b/lib/max_test.go': MAX_TEST(2, 1) },
    outcome: 'passed',
    detail: /go in a: passed: 1 tests ran.*go in b: passed: 1 tests ran/s,
    facts: { tests: 2, folder: 'a, b' },
  },
];

const MEASURED: readonly RealCase[] = [
  {
    what: 'revive names comments that do not begin with what they are about, also those of types, in place of us',
    gate: commentQualityGate,
    needs: 'revive',
    base: { 'a.go': 'package a\n\n// looks at it.\nfunc Open() {}\n' },
    edits: {
      'a.go': 'package a\n\n\n// looks at it.\nfunc Open() {}\n',
      [ODD]:
        'package lib\n\n// looks away.\nfunc Close() {}\n\n// a room.\ntype Room struct{}\n\nfunc Bare() {}\n',
    },
    outcome: 'passed',
    findings: [`${ODD}:3 wrong_style`, `${ODD}:6 wrong_style`, 'a.go:4 wrong_style (before)'],
    facts: { revive: '1.17.0' },
  },
  {
    what: 'go test measures that a new function has no test',
    gate: coverageDeltaGate,
    needs: 'go',
    base: { ...MOD, 'lib/max.go': MAX, 'lib/max_test.go': MAX_TEST(2, 1) },
    edits: { 'lib/max.go': `${MAX}\nfunc F() int {\n\treturn 1\n}\n` },
    outcome: 'failed',
    facts: { tool: 'go' },
  },
  {
    what: 'gremlins names the changes that no test notices',
    gate: mutationTestingGate,
    needs: 'gremlins',
    base: { ...MOD, 'lib/max.go': 'package lib\n', 'lib/max_test.go': MAX_TEST(2, 1) },
    edits: { 'lib/max.go': MAX },
    settings: { mutation_threshold: 0.9 },
    outcome: 'failed',
    findings: ['lib/max.go:4 mutant_survived'],
    facts: { tool: 'gremlins', score: 0.5 },
  },
  {
    what: 'lizard sees code that became more complex, in a file with an odd name',
    gate: complexityCheckGate,
    needs: 'lizard',
    base: { ...MOD, [ODD]: 'package lib\n\nfunc F(a int) int {\n\treturn a\n}\n' },
    edits: { [ODD]: MAX },
    outcome: 'failed',
    facts: { tool: 'lizard', complexity: 2, complexity_base: 1 },
  },
];

/** A database of known holes with one of them, in the standard library, as the tool reads it from a folder. */
function database(): string {
  const folder = createTemporaryFolder();
  const modified = '2024-01-01T00:00:00Z';
  const write = (path: string, value: unknown): void =>
    writeFileSync(join(folder, path), JSON.stringify(value));
  mkdirSync(join(folder, 'index'));
  mkdirSync(join(folder, 'ID'));
  write('index/db.json', { modified });
  write('index/modules.json', [{ path: 'stdlib', vulns: [{ id: 'GO-2024-0001', modified }] }]);
  write('index/vulns.json', [{ id: 'GO-2024-0001', modified, aliases: [] }]);
  write('ID/GO-2024-0001.json', {
    schema_version: '1.3.1',
    id: 'GO-2024-0001',
    modified,
    published: modified,
    summary: 'Upper is not safe',
    details: 'Made up.',
    affected: [
      {
        package: { name: 'stdlib', ecosystem: 'Go' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }] }],
        ecosystem_specific: { imports: [{ path: 'strings', symbols: ['ToUpper'] }] },
      },
    ],
  });
  return folder;
}

const AUDIT: readonly RealCase[] = [
  {
    what: 'govulncheck names the hole that new code reaches',
    gate: depAuditGate,
    needs: 'govulncheck',
    base: { ...MOD, 'a.go': 'package main\n\nfunc main() {}\n' },
    edits: {
      'go.mod': `${MOD['go.mod']}\n`,
      'a.go': 'package main\n\nimport "strings"\n\nfunc main() { println(strings.ToUpper("a")) }\n',
    },
    outcome: 'failed',
    findings: ['go.mod:1 GO-2024-0001'],
    facts: { tool: 'govulncheck' },
  },
];

realTools('the linters of Go', LINT);
realTools('the compiler and the tests of Go', BUILD);
realTools('what is measured in Go', MEASURED);

const govulncheck = findProgram('govulncheck');
beforeEach(() => {
  if (govulncheck === null) return;
  const folder = createTemporaryFolder();
  const program = join(folder, 'govulncheck');
  writeFileSync(program, `#!/bin/sh\nexec '${govulncheck}' -db 'file://${database()}' "$@"\n`);
  chmodSync(program, 0o755);
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH'] ?? ''}`);
});
realTools('the audit of Go', AUDIT);
