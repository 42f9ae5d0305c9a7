import { expect, it } from 'vitest';
import { openToolTestSuite } from '../../../../gates/tests/gate-runs/run-tools.ts';
import { selectLanguageTools } from '../../../../gates/tests/running/choose-tools.ts';
import { createSubject } from '../../../support/patch-fixture.ts';

it('does not share a run that was ended by the shorter time limit of another caller', async () => {
  const subject = await createSubject(
    {
      'package.json': '{"scripts":{"unit":"node --test"}}\n',
      'sum.js': 'exports.sum = (a, b) => a;\n',
      'test/sum.test.js': "require('node:test').test('adds', () => {});\n",
    },
    { 'sum.js': 'exports.sum = (a, b) => a + b;\n' },
  );
  const { tools } = await selectLanguageTools(subject, 'tests', {}, true);
  const [tool] = tools;
  const context = { subject, command: null, explicitlyEnabled: true, timeoutMs: 60_000 };
  const suite = tool && (await openToolTestSuite(context, tool));
  expect(await suite?.run(subject.tree, { limitMs: 1 })).toMatchObject({ outcome: 'timed_out' });
  const completed = await suite?.run(subject.tree, { limitMs: 60_000 });
  expect(completed).toMatchObject({ outcome: 'passed' });
  expect(await suite?.run(subject.tree, { limitMs: 60_000 })).toBe(completed);
});
