import { expect, test } from 'vitest';
import { findScriptsRunByCommand } from '../../gates/tests/running/find-reached-scripts.ts';

const FILES: Readonly<Record<string, string>> = {
  'package.json': JSON.stringify({
    scripts: {
      start: 'node app.js',
      pretest: 'node tools/prepare.js',
      test: 'npm run unit && run-s "deep:*" last',
      unit: 'bash scripts/unit.sh',
      last: 'node tools/last.mjs',
      loop: 'npm run loop; node tools/loop.js',
    },
  }),
  Makefile:
    'SH := bash\n\nrun:\n\tnode app.js\n\ntest: build lint\n\t@$(SH) scripts/test.sh \\\n\t  --all\n\nbuild: ; node tools/build.js\n\nlint:\n\t-python3 tools/lint.py\n',
  justfile:
    'default:\n    node app.js\n\ncheck name="all": prepare\n    ./scripts/check.sh {{name}}\n\nprepare:\n    node tools/prepare.js\n',
  'scripts/unit.sh': '#!/bin/bash\n# node never.js\nset -e\n. "$(dirname "$0")/lib.sh"\nnode --test\n',
  'scripts/lib.sh': 'source scripts/env.sh\n',
  'scripts/test.sh': 'if true; then\n  ./scripts/inner\nfi\n',
  'scripts/inner': '#!/usr/bin/env python3\nimport os\n',
};

test.each<[string, string[], string[]]>([
  [
    'npm test',
    ['tools/prepare.js', 'scripts/unit.sh', 'scripts/lib.sh', 'scripts/env.sh', 'tools/last.mjs'],
    ['app.js', 'never.js'],
  ],
  ['npm start', ['app.js'], ['tools/prepare.js']],
  ['npm run --silent loop', ['tools/loop.js'], []],
  ['node --run unit', ['scripts/unit.sh', 'scripts/lib.sh'], []],
  ['CI=1 make test', ['scripts/test.sh', 'scripts/inner', 'tools/build.js', 'tools/lint.py'], ['app.js']],
  ['make', ['app.js'], ['tools/build.js']],
  ['just check fast', ['scripts/check.sh', 'tools/prepare.js'], ['app.js']],
  ['bash scripts/unit.sh', ['scripts/unit.sh', 'scripts/lib.sh', 'scripts/env.sh'], ['app.js']],
  ['pytest -q', ['pytest'], ['app.js']],
])('%s leads to its own scripts, and to no others', async (line, wanted, others) => {
  const { files: reached } = await findScriptsRunByCommand(line, async (path) => FILES[path] ?? null);
  for (const script of wanted) expect([...reached]).toContain(script);
  for (const script of others) expect([...reached]).not.toContain(script);
});

test('files without end are not all read', async () => {
  let read = 0;
  const { files: reached } = await findScriptsRunByCommand('bash a0.sh', async (path) => {
    read++;
    return `bash ${path.replace('.sh', '')}0.sh; bash ${path.replace('.sh', '')}1.sh; ${'bash x.sh;'.repeat(1_000)}`;
  });
  expect(read).toBeLessThan(100);
  expect(reached.size).toBeLessThan(1_000);
});
