import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, it } from 'vitest';
import { createTemporaryFolder } from '../support/git-repository.ts';
import { assay } from './support.ts';

const LOOK = `name: look
nodes: [{ id: start, type: start }, { id: read, type: task, config: { title: Read it } }, { id: end, type: end }]
edges: [{ id: a, source_node_id: start, target_node_id: read }, { id: b, source_node_id: read, target_node_id: end }]
`;
const WORK = `name: work
nodes:
  - { id: start, type: start }
  - { id: first, type: subworkflow, config: { subworkflow_id: look, version: 1.0.0 } }
  - { id: end, type: end }
edges:
  - { id: a, source_node_id: start, target_node_id: first }
  - { id: b, source_node_id: first, target_node_id: end }
`;

function folder(files: Readonly<Record<string, string>>): string {
  const cwd = createTemporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    const path = join(cwd, '.assay/workflows', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return cwd;
}
const validate = (cwd: string) => assay(['workflow', 'validate', '.assay/workflows/work.yaml'], { cwd });

it('finds no fault in a workflow that stands on another of its folder, and draws it as one node', async () => {
  const cwd = folder({ 'work.yaml': WORK, 'look.yaml': LOOK });
  expect(await validate(cwd)).toMatchObject({ code: 0, stdout: 'work is valid: 3 nodes, 2 edges\n' });
  const shown = await assay(['workflow', 'show', 'work'], { cwd });
  expect(shown.stdout).toContain('n1[["first: look"]]');
});

it('says what is wrong with the other file, and with a name that is no file', async () => {
  const torn = await validate(folder({ 'work.yaml': WORK, 'look.yaml': LOOK.replace('Read it', '""') }));
  expect(torn).toMatchObject({ code: 2 });
  expect(torn.stderr).toContain('.assay/workflows/look.yaml:2: task_missing_title');
  const missing = await validate(folder({ 'work.yaml': WORK }));
  expect(missing.stderr).toContain('.assay/workflows/work.yaml:4: subworkflow_not_found');
});
