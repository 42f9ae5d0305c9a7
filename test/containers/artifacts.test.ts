import { expect, test } from 'vitest';
import { uploadScreenshots } from '../../containers/gates/upload-artifacts.ts';
import { sha256 } from '../../shared/lib/sha256.ts';
import { evidence, gate } from '../support/builders.ts';

const taken = (name: string, text = name) => {
  const png = Buffer.from(text);
  return {
    png,
    screenshot: { name, path: '/', width: 1, height: 1, sha256: sha256(png), bytes: png.length },
  };
};
const shots = [taken('start'), taken('again', 'start'), taken('other')];
const told = evidence({
  gates: [
    gate({ name: 'lint' }),
    gate({ name: 'screenshots', screenshots: shots.map(({ screenshot }) => screenshot) }),
  ],
});

test('stores each picture once before anybody is told of it', async () => {
  const stored: string[] = [];
  const upload = async (kind: string, bytes: Buffer) => {
    stored.push(`${kind} ${bytes}`);
    return sha256(bytes);
  };
  expect(await uploadScreenshots({ upload }, told, shots)).toBe(told);
  expect(stored).toEqual(['screenshot start', 'screenshot other']);
});

test('tells of no picture that could not be stored, and the gate has not run then', async () => {
  const upload = async (_: string, bytes: Buffer) => {
    if (String(bytes) === 'other') throw new Error('HTTP 403');
    return sha256(bytes);
  };
  const { gates } = await uploadScreenshots({ upload }, told, shots);
  expect(gates[0]).toBe(told.gates[0]);
  expect(gates[1]).toMatchObject({
    outcome: 'infra_failed',
    blocked: false,
    detail: 'screenshot other could not be stored: HTTP 403',
  });
  expect(gates[1]).not.toHaveProperty('screenshots');
});
