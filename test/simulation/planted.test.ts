import { expect, test } from 'vitest';
import { PLANTED } from './planted/faults.ts';
import { simulation } from './spawned.ts';

const RUNS = 500;

test.each(Object.entries(PLANTED))(
  'the simulation finds planted faults: %s',
  async (name, { breaks }) => {
    const { broken } = await simulation(['--runs', String(RUNS), '--fault', name, '--no-shrink']);
    expect(broken).toHaveLength(1);
    expect(breaks).toContain(broken[0]?.invariant);
  },
  300_000,
);
