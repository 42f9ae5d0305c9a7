import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryDirectory } from '../support/resources.ts';

test('a bundle that imports while it runs is given the module, and Node complains of nothing', () => {
  const directory = temporaryDirectory();
  const bundle = join(directory.path, 'index.js');
  writeFileSync(bundle, "import('node:path').then(({ sep }) => told(sep.length));");
  const program = `
    const { compileBundle } = await import('./local/lambda/bundle-compiler.ts');
    compileBundle(${JSON.stringify(bundle)}, ['told'], ${JSON.stringify(join(directory.path, 'kept'))}, 1).run(console.log);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
  });
  directory.remove();
  expect({ stdout, stderr }).toEqual({ stdout: '1\n', stderr: '' });
});
