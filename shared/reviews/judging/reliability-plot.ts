import type { Calibration } from './judge-calibration.ts';

/** Pixels. */
const SIDE = 320;
const EDGE = 48;

const at = (share: number): number => EDGE + share * SIDE;
const up = (share: number): number => EDGE + (1 - share) * SIDE;
const number = (value: number): string => value.toFixed(1);
const escaped = (text: string): string =>
  text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`).replace(/[^\P{Cc}]/gu, ' ');

/** Confidence against truth, as SVG: a dot for each bin, as large as its answers are many; a judge that knows how sure it may be has them on the line. */
export function renderReliabilityPlot({ reliability, kappa }: Calibration, title: string): string {
  const most = Math.max(1, ...reliability.map(({ answers }) => answers));
  const marks = [0, 0.25, 0.5, 0.75, 1];
  const end = 2 * EDGE + SIDE;
  const dots = reliability.flatMap(({ answers, confidence, right }) =>
    confidence === null || right === null
      ? []
      : [
          `<circle cx="${number(at(confidence))}" cy="${number(up(right))}" r="${number(3 + 9 * Math.sqrt(answers / most))}" fill="#2563eb" fill-opacity="0.7"><title>${answers} answers: confidence ${confidence.toFixed(2)}, right ${right.toFixed(2)}</title></circle>`,
        ],
  );
  const axes = marks.flatMap((mark) => [
    `<text x="${number(at(mark))}" y="${EDGE + SIDE + 16}" text-anchor="middle">${mark}</text>`,
    `<text x="${EDGE - 8}" y="${number(up(mark) + 4)}" text-anchor="end">${mark}</text>`,
  ]);
  const told = kappa === null ? '' : `, kappa ${kappa.value.toFixed(2)}`;
  return `${[
    `<svg xmlns="http://www.w3.org/2000/svg" width="${end}" height="${end}" viewBox="0 0 ${end} ${end}" font-family="sans-serif" font-size="11">`,
    `<rect width="${end}" height="${end}" fill="#ffffff"/>`,
    `<text x="${EDGE}" y="24" font-size="13">${escaped(title)}${told}</text>`,
    `<rect x="${EDGE}" y="${EDGE}" width="${SIDE}" height="${SIDE}" fill="none" stroke="#9ca3af"/>`,
    `<line x1="${at(0)}" y1="${up(0)}" x2="${at(1)}" y2="${up(1)}" stroke="#9ca3af" stroke-dasharray="4"/>`,
    ...axes,
    ...dots,
    `<text x="${EDGE + SIDE / 2}" y="${EDGE + SIDE + 36}" text-anchor="middle">confidence</text>`,
    `<text x="14" y="${EDGE + SIDE / 2}" text-anchor="middle" transform="rotate(-90 14 ${EDGE + SIDE / 2})">share that was right</text>`,
    '</svg>',
  ].join('\n')}\n`;
}
