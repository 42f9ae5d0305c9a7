import { expect, test } from 'vitest';
import { readProjectCodeRevisions } from '../../../../../gates/code/project-code.ts';
import { findSideEffectFreeFiles } from '../../../../../gates/tests/experiments/perturbations/input-perturbation/record-calls.ts';
import { createSubject } from '../../../../support/patch-fixture.ts';

test('only what computes, and imports nothing that does more, may be asked for anything', async () => {
  const subject = await createSubject(
    { 'old.py': 'A = 1\n' },
    {
      'price.py': 'import math\nfrom rates import RATES\n',
      'rates.py': 'RATES = {}\n',
      'clean.py': 'import shutil\n',
      'caller.py': 'import clean\n',
      'reads.py': 'def f(p):\n    return open(p).read()\n',
      'foreign.py': 'import requests\n',
      'slug.js': "const { format } = require('node:util');\nexports.slug = (t) => format(t);\n",
      'kill.js': 'exports.kill = (pid) => process.kill(pid);\n',
      'remove.js': "const fs = require('node:fs');\nexports.remove = (p) => fs.rmSync(p);\n",
      'uses.mjs': "import './remove.js';\nexport const a = 1;\n",
      'later.mjs': 'export const later = (name) => import(name);\n',
    },
  );
  const { head } = await readProjectCodeRevisions(subject, Number.POSITIVE_INFINITY);
  expect([...(await findSideEffectFreeFiles(subject, head))].sort()).toEqual([
    'old.py',
    'price.py',
    'rates.py',
    'slug.js',
  ]);
});
