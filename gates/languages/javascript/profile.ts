import { asks, dependsOn, type Profile, semgrep, type Tool } from '../tool.ts';

const local = (name: string, rest: Omit<Tool, 'name' | 'version' | 'get'>): Tool => ({
  name,
  version: asks(name),
  get: `npm install --save-dev ${name === 'tsc' ? 'typescript' : name === 'biome' ? '@biomejs/biome' : name}, and profiles.javascript.setup: npm ci --ignore-scripts`,
  ...rest,
});

/** JavaScript and TypeScript: biome or eslint, tsc, vitest or jest or node --test, semgrep, npm audit. */
export const javascript: Profile = {
  language: 'javascript',
  tools: [
    local('biome', {
      kind: 'lint',
      line: 'biome lint --reporter=gitlab --max-diagnostics=none . > "$REPORT"',
      onFiles: {
        names: /\.(?:[cm]?[jt]s|[jt]sx|jsonc?|css|graphql|html|vue|svelte|astro)$/,
        line: 'biome lint --reporter=gitlab --max-diagnostics=none --no-errors-on-unmatched --files-ignore-unknown=true {files} > "$REPORT"',
      },
      format: 'gitlab',
      complains: [1],
      stops: { rules: /^parse$/, at: 'file' },
      signs: [{ file: 'biome.json' }, { file: 'biome.jsonc' }],
      byDefault: false,
    }),
    local('eslint', {
      kind: 'lint',
      line: 'eslint --format json --output-file "$REPORT" .',
      // Of other files the configuration, or its version, says whether they are looked at: named, they would be in any case.
      onFiles: { names: /\.js$/, line: 'eslint --format json --output-file "$REPORT" {files}' },
      format: 'eslint',
      complains: [1],
      stops: { rules: /^syntax$/, at: 'file' },
      signs: [
        ...['js', 'mjs', 'cjs', 'ts', 'mts', 'cts'].map((end) => ({ file: `eslint.config.${end}` })),
        ...['', '.json', '.js', '.cjs', '.yml', '.yaml'].map((end) => ({ file: `.eslintrc${end}` })),
      ],
      byDefault: true,
    }),
    local('tsc', {
      kind: 'type_check',
      // A configuration that only refers to others checks nothing by itself.
      line: 'tsc "$(if grep -q "\\"references\\"" tsconfig.json; then echo --build; else echo --project; fi)" tsconfig.json --noEmit --pretty false > "$REPORT"; code=$?; head -c 4000 "$REPORT"; exit $code',
      format: 'tsc',
      complains: [1, 2],
      // Without a tree of the syntax it looks at no types, in any file.
      stops: { rules: /^TS1\d{3}$/, at: 'all' },
      signs: [{ file: 'tsconfig.json' }],
      byDefault: false,
    }),
    local('vitest', {
      kind: 'tests',
      line: 'vitest run --reporter=junit --outputFile="$REPORT"',
      format: 'junit',
      complains: [1],
      signs: [
        ...['js', 'mjs', 'ts', 'mts'].map((end) => ({ file: `vitest.config.${end}` })),
        dependsOn('vitest'),
      ],
      byDefault: false,
    }),
    {
      kind: 'tests',
      name: 'jest',
      version: asks('jest'),
      get: 'npm install --save-dev jest jest-junit, and profiles.javascript.setup: npm ci --ignore-scripts',
      line: 'JEST_JUNIT_OUTPUT_FILE="$REPORT" JEST_JUNIT_ADD_FILE_ATTRIBUTE=true jest --ci --reporters=jest-junit',
      format: 'junit',
      complains: [1],
      signs: [
        ...['js', 'mjs', 'cjs', 'ts', 'json'].map((end) => ({ file: `jest.config.${end}` })),
        dependsOn('jest'),
      ],
      byDefault: false,
    },
    {
      kind: 'tests',
      name: 'node',
      version: asks('node'),
      get: 'install Node.js 20 or newer',
      line: 'node --test --test-reporter=junit --test-reporter-destination="$REPORT"',
      format: 'junit',
      complains: [1],
      signs: [{ file: 'package.json', has: /\bnode (?:[\w=-]{1,60} ){0,8}--test\b/ }],
      byDefault: false,
    },
    semgrep('p/javascript'),
    {
      kind: 'dep_audit',
      name: 'npm',
      version: asks('npm'),
      get: 'install npm, and commit a package-lock.json',
      line: 'npm audit --package-lock-only --json > "$REPORT"',
      format: 'npm_audit',
      complains: [1],
      signs: [{ file: 'package-lock.json' }, { file: 'npm-shrinkwrap.json' }, { file: 'package.json' }],
      byDefault: false,
    },
  ],
  beside: {
    dead_code: {
      name: 'knip',
      version: asks('knip'),
      get: 'npm install --save-dev knip, and profiles.javascript.setup: npm ci --ignore-scripts',
      line: 'knip --no-progress --reporter json > "$REPORT"',
      format: 'knip',
      looked: [0, 1],
      // It would find everything dead elsewhere.
      signs: [dependsOn('knip')],
    },
    comment_quality: {
      name: 'eslint-plugin-jsdoc',
      version: asks('eslint'),
      get: 'npm install --save-dev eslint eslint-plugin-jsdoc, and profiles.javascript.setup: npm ci --ignore-scripts',
      // What a comment has to say of results and errors is the project's own choice.
      line: 'eslint --format json --output-file "$REPORT" "$@"',
      format: 'eslint_warnings',
      looked: [0, 1],
      signs: [dependsOn('eslint-plugin-jsdoc')],
      counts: [{ rule: /^jsdoc\/require-(?:returns|yields|throws)$/, as: 'incomplete' }],
    },
  },
};
