import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { buildCascadePolicyEnvironment, readCascadePolicyFile } from '../../cli/cascade-policy.ts';
import { CliError } from '../../cli/exit.ts';
import { FUNCTION_ENV_NAMES } from '../../shared/contract/resource-names.ts';

const cwd = mkdtempSync(join(tmpdir(), 'policy-'));
const written = (text: string): string => {
  writeFileSync(join(cwd, 'cascade.yaml'), text);
  return 'cascade.yaml';
};

it('reads a policy, with the defaults of what it leaves out', () => {
  expect(readCascadePolicyFile(written('policy: greedy\nepsilon: 0.05\n'), { cwd })).toMatchObject({
    policy: 'greedy',
    epsilon: 0.05,
    min_observations: 5,
    quality_threshold: 0.8,
  });
  expect(
    JSON.parse(buildCascadePolicyEnvironment(written('{}'), { cwd })[FUNCTION_ENV_NAMES.cascadePolicy] ?? ''),
  ).toMatchObject({
    policy: 'fixed',
  });
});

it.each([
  ['a key that there is not', 'policy: greedy\nespilon: 0.1\n', 'espilon'],
  ['a policy that there is not', 'policy: best\n', 'policy'],
  ['a share above 1', 'epsilon: 3\n', 'epsilon'],
  ['no YAML', 'policy: [', 'line'],
])('refuses %s, and names it', (_what, text, name) => {
  const read = () => readCascadePolicyFile(written(text), { cwd });
  expect(read).toThrow(CliError);
  try {
    read();
  } catch (error) {
    expect(JSON.stringify((error as CliError).details)).toContain(name);
  }
});

it('refuses a file that is not there', () => {
  expect(() => readCascadePolicyFile('none.yaml', { cwd })).toThrow('none.yaml');
});
