import { expect, test } from 'vitest';
import { type Again, onceEach } from '../../../../../gates/tests/experiments/behaviour/terms.ts';

test('no tree runs twice in the same surroundings, unless its time is short, and none without a limit', async () => {
  const ran: string[] = [];
  const again = onceEach(
    (async (tree, { surroundings = {}, limitMs = null } = {}) => {
      ran.push(`${tree} ${JSON.stringify(surroundings)} ${limitMs}`);
      return { outcome: 'passed' };
    }) as Again,
    9,
  );
  await Promise.all([again('a'), again('a'), again('a', { surroundings: { TZ: 'UTC' } }), again('b')]);
  await again('a', {});
  await again('a', { limitMs: 5 });
  expect(ran).toEqual(['a {} 9', 'a {"TZ":"UTC"} 9', 'b {} 9', 'a {} 5']);
});
