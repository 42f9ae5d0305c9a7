import fc from 'fast-check';
import { expect, it, test } from 'vitest';
import { Evidence } from '../../../shared/contract/evidence/schema.ts';
import { hasScreenshotDigest } from '../../../shared/contract/evidence/screenshot-digest.ts';
import {
  MAX_SCREENSHOT_BYTES,
  MAX_SCREENSHOT_SIDE,
  Screenshot,
  ScreenshotList,
  screenshotObjectKey,
} from '../../../shared/contract/screenshot.ts';
import { sha256 } from '../../../shared/lib/sha256.ts';
import { evidence, gate } from '../../support/builders.ts';

const png = Buffer.from('a picture');
const shot = (fields: Partial<Screenshot> = {}): Screenshot => ({
  name: 'start',
  path: '/',
  width: 1_280,
  height: 800,
  sha256: sha256(png),
  bytes: png.length,
  ...fields,
});

test('evidence carries the pictures of a gate, and evidence without any reads as before', () => {
  const told = evidence({ gates: [gate({ screenshots: [shot()] })] });
  expect(Evidence.parse(told).gates[0]?.screenshots).toEqual([shot()]);
  expect(Evidence.parse(evidence({ gates: [gate()] })).gates[0]).not.toHaveProperty('screenshots');
});

it.each<[string, object]>([
  ['a name that leads elsewhere', { name: '../start' }],
  ['a name with a folder', { name: 'a/b' }],
  ['a name without end', { name: 'a'.repeat(41) }],
  ['a path of another host', { path: '//example.org/' }],
  ['a path that browsers read as another host', { path: '/\\example.org/' }],
  ['a whole URL', { path: 'file:///etc/passwd' }],
  ['a path with a line break', { path: '/a\nb' }],
  ['no bytes', { bytes: 0 }],
  ['more bytes than one may have', { bytes: MAX_SCREENSHOT_BYTES + 1 }],
  ['a side that is too long', { height: MAX_SCREENSHOT_SIDE + 1 }],
  ['a digest in capitals', { sha256: 'A'.repeat(64) }],
  ['a field that nobody knows', { url: 'https://example.org/' }],
])('refuses %s', (_, fields) => {
  expect(Screenshot.safeParse({ ...shot(), ...fields }).success).toBe(false);
});

test('refuses a list of more than twelve, and a name that is there twice', () => {
  const named = (count: number) => Array.from({ length: count }, (_, index) => shot({ name: `s${index}` }));
  expect(ScreenshotList.safeParse(named(12)).success).toBe(true);
  expect(ScreenshotList.safeParse(named(13)).success).toBe(false);
  expect(ScreenshotList.safeParse([shot(), shot({ path: '/other' })]).success).toBe(false);
});

test('any path that is allowed stays on the host of the application', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\/[ -~]{0,40}$/), (path) => {
      fc.pre(Screenshot.shape.path.safeParse(path).success);
      expect(new URL(path, 'http://127.0.0.1:8123').origin).toBe('http://127.0.0.1:8123');
    }),
  );
});

test('bytes are the picture when length and digest are, and lie under the digest', () => {
  expect(hasScreenshotDigest(png, shot())).toBe(true);
  expect(hasScreenshotDigest(Buffer.from('b picture'), shot())).toBe(false);
  expect(hasScreenshotDigest(png.subarray(1), shot())).toBe(false);
  expect(screenshotObjectKey('T1', 2, shot())).toBe(`artifacts/T1/2/screenshot-${sha256(png)}.png`);
});
