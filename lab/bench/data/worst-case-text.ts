import type { Detector } from '../../../gates/rules/scan/detector.ts';

/** Texts that, said again and again, come close to what a detector looks for. */
export function buildWorstCaseTexts({ anchors }: Pick<Detector, 'anchors'>): string[] {
  if (anchors === 'digits') return ['123-45-', '1234 ', '1'];
  const anchor = anchors[0] ?? '';
  return [anchor, `${anchor}: "${'a'.repeat(20)}`, `${anchor}=`, `${anchor}${'a'.repeat(30)}.`];
}

/** One line of `length` bytes that says the same again and again. */
export const buildWorstCaseLine = (unit: string, length: number): Buffer =>
  Buffer.from(unit.repeat(Math.ceil(length / unit.length)).slice(0, length));
