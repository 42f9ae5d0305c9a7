import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

const HEADER = '// SPDX-License-Identifier: ';

export default {
  name: 'licence_header',
  condition: 'changed: src/**',
  async run({ root, changes }) {
    const findings = [];
    for (const { path, kind } of changes) {
      if (kind !== 'added' || !path.startsWith('src/')) continue;
      const text = await readFile(join(root, path), 'utf8');
      if (!text.startsWith(HEADER))
        findings.push({
          file: path,
          line: 1,
          rule: 'licence_header',
          message: `must begin with "${HEADER}"`,
        });
    }
    return {
      outcome: findings.length > 0 ? 'failed' : 'passed',
      detail: findings.length > 0 ? `${findings.length} new files without a licence` : 'all have one',
      findings,
    };
  },
};
