import { expect, test } from 'vitest';
import { Buildah } from '../../../lab/images/buildah.ts';
import { hasProgram } from '../../../lab/images/builder.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

const canBuild = process.getuid?.() === 0 && hasProgram('buildah');

test.runIf(canBuild)('an image replaces those of its name, and no other image', () => {
  const buildah = Buildah.open(createTemporaryFolder());
  const commit = (reference: string): void => {
    const container = buildah.call('from', 'scratch');
    buildah.call('config', '--label', `of=${reference}`, container);
    buildah.call('commit', '--quiet', container, reference);
    buildah.call('rm', container);
  };
  const agents = ['a', 'b', 'c'].map((tag) => `localhost/assay/agent:${tag}`);
  const other = 'localhost/assay/agent-go:a';
  for (const reference of [...agents, other]) commit(reference);
  // Under two names, as a stand-in is.
  buildah.call('tag', 'localhost/assay/agent:a', 'docker.io/library/agent:1');
  // A run that still uses an older image keeps it.
  const used = buildah.call('from', '--pull=never', 'localhost/assay/agent:b');

  // Another checkout may be about to use what is young.
  buildah.removeSuperseded('localhost/assay/agent:c');
  expect(buildah.hasImage('localhost/assay/agent:a')).toBe(true);

  buildah.removeSuperseded('localhost/assay/agent:c', 0);
  expect([...agents, other].map((reference) => buildah.hasImage(reference))).toEqual([
    false,
    true,
    true,
    true,
  ]);
  expect(buildah.hasImage('docker.io/library/agent:1')).toBe(true);

  buildah.call('rm', used);
  buildah.removeSuperseded('localhost/assay/agent:c', 0);
  expect([...agents, other].map((reference) => buildah.hasImage(reference))).toEqual([
    false,
    false,
    true,
    true,
  ]);
});
