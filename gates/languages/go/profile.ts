import { asks, type Profile, semgrep } from '../tool.ts';

const GO = {
  name: 'go',
  version: 'command -v go >/dev/null || exit 127; go version',
  get: 'install Go from go.dev/dl',
} as const;

/** Go: golangci-lint or go vet, go build, go test, semgrep, govulncheck. */
export const go: Profile = {
  language: 'go',
  tools: [
    {
      kind: 'lint',
      name: 'golangci-lint',
      version: asks('golangci-lint'),
      get: 'install golangci-lint 2 or newer from golangci-lint.run',
      line: 'golangci-lint run --output.sarif.path="$REPORT" ./...',
      format: 'golangci',
      complains: [1],
      stops: { rules: /^typecheck$/, at: 'all' },
      signs: ['yml', 'yaml', 'toml', 'json'].map((end) => ({ file: `.golangci.${end}` })),
      byDefault: false,
    },
    {
      ...GO,
      kind: 'lint',
      line: 'go vet -json ./... > "$REPORT" 2> "$REPORT.err"; code=$?; cat "$REPORT.err" >> "$REPORT"; cat "$REPORT.err"; exit $code',
      format: 'go_vet',
      complains: [],
      exitSaysNothing: true,
      signs: [],
      byDefault: true,
    },
    {
      ...GO,
      kind: 'type_check',
      line: 'go build -json -o /dev/null ./... > "$REPORT"',
      format: 'go_build',
      complains: [1],
      signs: [{ file: 'go.mod' }],
      byDefault: true,
    },
    {
      ...GO,
      kind: 'tests',
      line: 'go test -json ./... > "$REPORT"',
      format: 'go_test',
      complains: [1],
      signs: [{ file: 'go.mod' }],
      byDefault: true,
    },
    semgrep('p/golang'),
    {
      kind: 'dep_audit',
      name: 'govulncheck',
      version: 'command -v govulncheck >/dev/null || exit 127; govulncheck -version | grep Scanner',
      get: 'go install golang.org/x/vuln/cmd/govulncheck@latest',
      line: 'govulncheck -format sarif ./... > "$REPORT"',
      format: 'sarif',
      complains: [3],
      signs: [{ file: 'go.mod' }],
      byDefault: false,
    },
  ],
  beside: {
    comment_quality: {
      name: 'revive',
      version: asks('revive'),
      get: 'go install github.com/mgechev/revive@latest',
      line: `printf '[rule.exported]\\n' > "$REPORT.toml" && revive -config "$REPORT.toml" -formatter sarif "$@" > "$REPORT"`,
      format: 'sarif',
      looked: [0],
      signs: [],
      counts: [{ rule: /^exported$/, says: /should be of the form/, as: 'wrong_style' }],
      instead: ['wrong_style'],
    },
  },
};
