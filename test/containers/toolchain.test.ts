import { describe, expect, it } from 'vitest';
import { checkToolchainImage } from '../../containers/gates/check-toolchain.ts';
import type { GatesAssignment } from '../../shared/contract/messages/assignment.ts';
import { createTestRepository } from '../support/git-repository.ts';

const check = (text: string | null, image?: string) => {
  const repository = createTestRepository(text === null ? { 'a.txt': '' } : { 'assay.yaml': text });
  const store = { dir: `${repository.dir}/.git`, format: 'sha1' } as const;
  const base_commit = repository.git('rev-parse', 'HEAD');
  return checkToolchainImage(store, { base_commit, image } as GatesAssignment);
};

describe('a gates box', () => {
  it.each([
    [null, undefined],
    ['quality_gates: {}\n', undefined],
    ['# no image\n', undefined],
    ['image: go\n', 'go'],
  ])('works where the base asks for what it is: %j, %s', async (text, image) => {
    await expect(check(text, image)).resolves.toBeUndefined();
  });

  it.each([
    ['image: go\n', undefined, 'names the image "go", and this box is of "default"'],
    ['image: go\n', 'rust', 'names the image "go", and this box is of "rust"'],
    [null, 'rust', 'names the image "default", and this box is of "rust"'],
  ])('judges nothing where it asks for another: %j, %s', async (text, image, message) => {
    await expect(check(text, image)).rejects.toMatchObject({
      failureClass: 'config_invalid',
      message: expect.stringContaining(message),
    });
  });
});
