import { describe, expect, test } from 'vitest';
import { gatherEvidence } from '../../../gates/pipeline/gather-evidence.ts';
import { loadBaseReviewPipeline } from '../../../gates/pipeline/load-base-config.ts';
import { MAX_PIPELINE_FILE_BYTES } from '../../../shared/contract/judgement/review-pipeline-schema.ts';
import { createTemporaryFolder } from '../../support/git-repository.ts';
import { createPatchFixture } from '../../support/patch-fixture.ts';

const FILE = '.assay/review_pipeline.yaml';
const GOOD = 'version: 1\nstages: [{ name: code, agents: [{ role: bugs }] }]\n';

describe('the reviewers of the base', () => {
  test('are in the evidence as the base names them, whatever the patch makes of the file', async () => {
    const { store, base, tree } = await createPatchFixture(
      { 'a.txt': 'a\n', [FILE]: GOOD },
      { [FILE]: 'version: 1\nblock_on_fail: false\nstages: [{ name: none, agents: [{ role: nobody }] }]\n' },
    );
    const evidence = await gatherEvidence({
      store,
      base,
      tree,
      signals: [],
      workDir: createTemporaryFolder(),
    });
    expect(evidence.review_pipeline).toMatchObject({
      block_on_fail: true,
      stages: [{ name: 'code', agents: [{ role: 'bugs' }] }],
    });
    // What steers checks is put back and holds the patch.
    expect(evidence.protected_files).toMatchObject([
      { path: FILE, kind: 'gates_config', checked_version: 'base' },
    ]);
  });

  test('are none where the base has no such file', async () => {
    const { store, base } = await createPatchFixture({ 'a.txt': 'a\n' }, {});
    expect(await loadBaseReviewPipeline(store, base)).toBeNull();
  });

  test.each([
    ['what is no YAML', 'version: [', /^\.assay\/review_pipeline\.yaml:\d+: is not valid YAML/],
    ['an unknown key', `${GOOD}adapter: x\n`, /:3: adapter is not a known key/],
    ['a file that is too large', `# ${'x'.repeat(MAX_PIPELINE_FILE_BYTES)}\n${GOOD}`, /cannot be read/],
  ])('with %s are refused by name', async (_, text, message) => {
    const { store, base } = await createPatchFixture({ [FILE]: text }, {});
    await expect(loadBaseReviewPipeline(store, base)).rejects.toThrow(message);
  });
});
