import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { candidateRefNames, resolveRefToCommitId } from '../../../../shared/contract/repository/base-ref.ts';
import { fakeSha1 } from '../../../support/builders.ts';

const ref = (name: string, digit: string, peeled?: string) => ({
  name,
  id: fakeSha1(digit),
  ...(peeled ? { peeled: fakeSha1(peeled) } : {}),
});

describe('a base ref', () => {
  it.each([
    ['main', [ref('refs/heads/main', 'a')], 'a'],
    ['v1', [ref('refs/tags/v1', 'b', 'c')], 'c'],
    ['refs/heads/main', [ref('refs/heads/main', 'a')], 'a'],
    ['heads/main', [ref('refs/heads/main', 'a')], 'a'],
    ['HEAD', [ref('HEAD', 'd'), ref('refs/heads/main', 'a')], 'd'],
    ['same', [ref('refs/heads/same', 'a'), ref('refs/tags/same', 'b')], 'b'],
  ])('%s is read as git reads it', (name, refs, digit) => {
    expect(resolveRefToCommitId(name, refs)).toBe(fakeSha1(digit));
  });

  it.each([
    ['no ref at all', []],
    ['a longer name only', [ref('refs/heads/main2', 'a'), ref('refs/heads/x/main', 'b')]],
    ['an id that is none', [{ name: 'refs/heads/main', id: '--upload-pack=x' }]],
  ])('is missing with %s', (_name, refs) => {
    expect(resolveRefToCommitId('main', refs)).toBeNull();
  });

  it('is never taken from a ref of another name, whatever a server lists', () => {
    const names = fc.stringMatching(/^[a-z/]{1,12}$/);
    fc.assert(
      fc.property(names, fc.array(names), (wanted, listed) => {
        const refs = listed.map((name) => ({ name: `refs/heads/${name}`, id: fakeSha1('a') }));
        const known = refs.some(({ name }) => candidateRefNames(wanted).includes(name));
        expect(resolveRefToCommitId(wanted, refs)).toBe(known ? fakeSha1('a') : null);
      }),
    );
  });
});
