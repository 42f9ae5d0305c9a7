import { writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { findImageBuilder } from '../../../lab/images/builder.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';

/** Puts engines on the path that answer `info` with an exit code. */
function putOnPath(engines: Readonly<Record<string, number>>): void {
  const folder = createTemporaryFolder();
  for (const [name, code] of Object.entries(engines))
    writeFileSync(join(folder, name), `#!/bin/sh\nexit ${code}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
}

describe('the builder of images', () => {
  it.each([
    [{ docker: 0, podman: 0, finch: 0 }, 'docker'],
    [{ docker: 1, podman: 0, finch: 0 }, 'podman'],
    [{ docker: 1, podman: 1, finch: 0 }, 'finch'],
  ])('is the first engine that answers: %j', (engines, program) => {
    putOnPath(engines);
    expect(findImageBuilder({})).toEqual({ kind: 'engine', program });
  });

  it('is buildah where no engine answers, or one sentence that says what is missing', () => {
    putOnPath({ docker: 1, podman: 1, finch: 1 });
    const found = findImageBuilder({});
    const needed = 'No image can be built: no engine of docker, podman, finch is running, and buildah';
    expect(typeof found === 'string' ? found.startsWith(needed) : found.kind === 'buildah').toBe(true);
  });

  it('is the one that CDK_DOCKER names, and no other', () => {
    const folder = createTemporaryFolder();
    const program = join(folder, 'engine');
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 });
    expect(findImageBuilder({ CDK_DOCKER: program })).toEqual({ kind: 'engine', program });
    expect(findImageBuilder({ CDK_DOCKER: 'false' })).toBe(
      'CDK_DOCKER names false, but `false info` fails: start its engine, or unset CDK_DOCKER.',
    );
  });
});
