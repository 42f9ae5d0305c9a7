import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

interface Report {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly rule: { readonly name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
}

function cruise(folder: string, rooms: readonly string[]): Report {
  const run = (): string => {
    try {
      return execFileSync(
        process.execPath,
        [
          resolve('node_modules/dependency-cruiser/bin/dependency-cruiser.mjs'),
          '--config',
          resolve('.dependency-cruiser.cjs'),
          '--output-type',
          'json',
          ...rooms,
        ],
        { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], maxBuffer: 64 * 1_048_576 },
      );
    } catch (error) {
      return (error as { stdout: string }).stdout;
    }
  };
  return JSON.parse(run()) as Report;
}

describe('the layer check', () => {
  const folder = mkdtempSync(resolve('.cache-layers-'));
  beforeAll(() => {
    const files: Record<string, string> = {
      'shared/contract/domain.ts':
        "import { handler } from '../../functions/handler.ts';\nexport const domain = handler;\n",
      'shared/contract/types.ts':
        "import type { Handler } from '../../functions/handler.ts';\nexport type Of = Handler;\n",
      'functions/handler.ts': 'export type Handler = string;\nexport const handler: Handler = "h";\n',
      'containers/box.ts':
        "import { client } from '../shared/store/client.ts';\nexport const box = client;\n",
      'shared/store/client.ts': 'export const client = 1;\n',
      'functions/deliver/main.ts':
        "import { via } from '../../workspace/supervisor/via.ts';\nimport { push } from '../../workspace/git/push.ts';\nexport const main = [via, push];\n",
      'workspace/supervisor/via.ts':
        "import { rule } from '../../gates/rules/framework/rule.ts';\nexport const via = rule;\n",
      'workspace/git/push.ts': 'export const push = 1;\n',
      'gates/rules/framework/rule.ts': 'export const rule = 1;\n',
      'gates/pipeline/engine.ts':
        "import { client } from '../../shared/store/client.ts';\nexport const engine = client;\n",
      'shared/lib/reader.ts':
        "import { engine } from '../../gates/pipeline/engine.ts';\nexport const reader = engine;\n",
      'local/cloud.ts':
        "import { domain } from '../shared/contract/domain.ts';\nexport const cloud = domain;\n",
      'shared/reviews/up.ts': "import type { State } from '../control/state.ts';\nexport type Up = State;\n",
      'shared/control/state.ts': 'export type State = string;\n',
      'shared/contract/through.ts':
        "import type { Up } from '../reviews/up.ts';\nexport type Through = Up;\n",
      'shared/loose.ts': 'export const loose = 1;\n',
      'shared/api/loose-user.ts': "import { loose } from '../loose.ts';\nexport const user = loose;\n",
      'gates/core/one/a.ts': "import type { B } from '../two/b.ts';\nexport type A = B;\n",
      'gates/core/two/b.ts': 'export type B = string;\n',
      'gates/core/two/c.ts': "import type { D } from '../one/d.ts';\nexport type C = D;\n",
      'gates/core/one/d.ts': 'export type D = string;\n',
      'cli/a.ts': "import { b } from './b.ts';\nexport const a = b;\n",
      'cli/b.ts': "import { a } from './a.ts';\nexport const b = a;\n",
    };
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    writeFileSync(join(folder, 'tsconfig.json'), '{}');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('reads TypeScript, and sees what goes the wrong way, in a circle, or to the store', () => {
    const { violations } = cruise(folder, [
      'shared',
      'workspace',
      'gates',
      'local',
      'functions',
      'containers',
      'cli',
    ]).summary;
    const found = violations.map((violation) => `${violation.rule.name}: ${violation.from}`);
    expect(
      violations
        .filter(({ rule }) => rule.name === 'deliver-reaches-no-gates')
        .map(({ from, to }) => [from, to]),
    ).toEqual([['functions/deliver/main.ts', 'gates/rules/framework/rule.ts']]);
    expect(found).toContain('shared-imports-only-itself: shared/contract/domain.ts');
    expect(found).toContain('shared-imports-only-itself: shared/contract/types.ts');
    expect(found).toContain('containers-hold-no-aws: containers/box.ts');
    expect(found).toContain('gates-import-the-contract-only: gates/pipeline/engine.ts');
    expect(found).toContain('shared-imports-only-itself: shared/lib/reader.ts');
    expect(found).toContain('local-knows-names-and-tokens: local/cloud.ts');
    expect(found.some((each) => each.startsWith('no-circular: cli/'))).toBe(true);
    expect(found).toContain('shared-reviews-reaches-no-higher-floor: shared/reviews/up.ts');
    expect(
      violations
        .filter(
          ({ rule, from }) =>
            rule.name === 'shared-contract-reaches-no-higher-floor' && from.endsWith('through.ts'),
        )
        .map(({ to }) => to),
      'also through another file, and by types alone',
    ).toEqual(expect.arrayContaining(['shared/reviews/up.ts', 'shared/control/state.ts']));
    expect(found).toContain('shared-files-lie-on-a-floor: shared/api/loose-user.ts');
    expect(found.filter((each) => each.startsWith('no-folder-cycle'))).toEqual(
      expect.arrayContaining(['no-folder-cycle: gates/core/one', 'no-folder-cycle: gates/core/two']),
    );
  });
});
