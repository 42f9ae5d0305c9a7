import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { getImageReference, listImageDefinitions } from '../../../lab/images/image-definitions.ts';
import { listToolchainsInTurn } from '../../../lab/images/toolchain-in-turn.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

function assembly(program = '// agent'): string {
  const folder = createTemporaryFolder();
  const files = {
    'asset.a/Dockerfile': 'FROM a',
    'asset.a/Dockerfile.go': 'FROM go',
    'asset.a/install-clis.ts': '',
    'asset.a/main.mjs': program,
    'asset.d/Dockerfile': 'FROM d',
    'asset.g/Dockerfile': 'FROM g',
    'asset.g/install-clis.ts': '',
    'asset.g/matcher.mjs': '',
    'Assay.assets.json': JSON.stringify({
      dockerImages: {
        a: { source: { directory: 'asset.a', dockerBuildArgs: { AGENT_CLIS: 'claude' } } },
        d: { source: { directory: 'asset.d' } },
        g: { source: { directory: 'asset.g' } },
      },
    }),
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  return folder;
}

describe('the images of an assembly', () => {
  it('are every Dockerfile of its assets, those without a toolchain first', () => {
    expect(
      listImageDefinitions(assembly()).map(({ name, asset, buildArgs }) => [name, asset, buildArgs]),
    ).toEqual([
      ['agent', 'a', { AGENT_CLIS: 'claude' }],
      ['deliver', 'd', {}],
      ['gates', 'g', {}],
      ['agent-go', null, { AGENT_CLIS: 'claude' }],
    ]);
  });

  it('have another reference once anything that they are built of differs', () => {
    const references = (folder: string) => listImageDefinitions(folder).map(getImageReference);
    expect(references(assembly())).toEqual(references(assembly()));
    const [agent, deliver, , go] = references(assembly('// other'));
    const [agentBefore, deliverBefore, , goBefore] = references(assembly());
    expect([agent === agentBefore, deliver === deliverBefore, go === goBefore]).toEqual([false, true, false]);
  });
});

describe('the toolchain in turn', () => {
  it('is each of them within four days, and the others follow', () => {
    const turns = [0, 1, 2, 3].map((day) => listToolchainsInTurn(new Date(day * 86_400_000)));
    expect(new Set(turns.map(([first]) => first)).size).toBe(4);
    for (const turn of turns) expect(new Set(turn).size).toBe(4);
  });
});
