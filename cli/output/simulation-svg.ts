import type { BootstrapEstimate } from '../../shared/control/cascade/simulation/bootstrap.ts';
import type {
  PolicyComparison,
  SimulationResult,
} from '../../shared/control/cascade/simulation/policy-comparison.ts';

const WIDTH = 900;
const PANEL = { width: 420, height: 220, left: 60, top: 40 };
/** Colours that colour-blind readers can tell apart (Okabe and Ito). */
const COLOURS = ['#0072b2', '#d55e00', '#e69f00', '#009e73', '#cc79a7', '#999999'];

const number = (value: number): string => String(Math.round(value * 100) / 100);
const text = (x: number, y: number, words: string, more = ''): string =>
  `<text x="${number(x)}" y="${number(y)}" font-size="11" ${more}>${words}</text>`;

/** Draws a bar for each policy, with its interval as a line. */
function drawBars(
  title: string,
  comparisons: readonly PolicyComparison[],
  field: (of: PolicyComparison) => BootstrapEstimate | null,
  x: number,
  y: number,
): string {
  const most = Math.max(...comparisons.map((each) => field(each)?.high ?? 0), Number.MIN_VALUE);
  const step = (PANEL.width - PANEL.left) / Math.max(1, comparisons.length);
  const height = (value: number): number => (value / most) * (PANEL.height - 60);
  const floor = y + PANEL.height - 30;
  const drawn = comparisons.map((each, index) => {
    const of = field(each);
    const left = x + PANEL.left + index * step;
    const middle = left + step / 2;
    const label = text(middle, floor + 14, each.policy, 'text-anchor="middle"');
    if (!of) return label + text(middle, floor - 4, 'unknown', 'text-anchor="middle"');
    return [
      `<rect x="${number(left + step * 0.2)}" y="${number(floor - height(of.mean))}" width="${number(step * 0.6)}" height="${number(height(of.mean))}" fill="${COLOURS[index % COLOURS.length]}"/>`,
      `<line x1="${number(middle)}" x2="${number(middle)}" y1="${number(floor - height(of.low))}" y2="${number(floor - height(of.high))}" stroke="black"/>`,
      text(middle, floor - height(of.high) - 4, of.mean.toPrecision(3), 'text-anchor="middle"'),
      label,
    ].join('');
  });
  return `<g>${text(x + PANEL.left, y + 16, title, 'font-weight="bold"')}${drawn.join('')}</g>`;
}

/** Draws the cumulative regret, a line for each policy. */
function drawRegret(comparisons: readonly PolicyComparison[], x: number, y: number): string {
  const lines = comparisons.filter((each) => each.policy !== 'clairvoyant' && each.regret_so_far.length > 1);
  const most = Math.max(...lines.flatMap((each) => each.regret_so_far), Number.MIN_VALUE);
  const least = Math.min(0, ...lines.flatMap((each) => each.regret_so_far));
  const [wide, high] = [PANEL.width - PANEL.left, PANEL.height - 60];
  const drawn = lines.map((each) => {
    const every = Math.max(1, Math.floor(each.regret_so_far.length / 200));
    const points = each.regret_so_far.flatMap((value, index) =>
      index % every === 0
        ? [
            `${number(x + PANEL.left + (index / (each.regret_so_far.length - 1)) * wide)},${number(y + 30 + high - ((value - least) / (most - least)) * high)}`,
          ]
        : [],
    );
    return `<polyline points="${points.join(' ')}" fill="none" stroke="${COLOURS[comparisons.indexOf(each) % COLOURS.length]}" stroke-width="1.5"/>`;
  });
  return `<g>${text(x + PANEL.left, y + 16, 'Regret so far, dollars above the oracle', 'font-weight="bold"')}${text(x + PANEL.left - 4, y + 34, most.toPrecision(3), 'text-anchor="end"')}${drawn.join('')}</g>`;
}

/** Renders cost, pass rate, time and regret of each policy as one chart. */
export function renderSimulationSvg(
  { comparisons, tasks, unknown }: SimulationResult,
  synthetic: boolean,
): string {
  const note = `${tasks - unknown} of ${tasks} tasks${synthetic ? ', synthetic data' : ''}; intervals at 95 %`;
  const right = WIDTH - PANEL.width - 20;
  const below = PANEL.top + PANEL.height + 20;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${below + PANEL.height + 20}" font-family="sans-serif">`,
    '<rect width="100%" height="100%" fill="white"/>',
    text(PANEL.left, 22, note),
    drawBars('Cost per task, dollars', comparisons, (each) => each.cost_usd, 0, PANEL.top),
    drawBars('Pass rate', comparisons, (each) => each.pass_rate, right, PANEL.top),
    drawBars('Seconds per task', comparisons, (each) => each.seconds, 0, below),
    drawRegret(comparisons, right, below),
    '</svg>\n',
  ].join('\n');
}
