import { duration } from '../../shared/lib/format.ts';
import { oneLine } from '../components/visible.ts';
import type { Span } from './spans.ts';
import { scaleOf } from './time-scale.ts';

const width = (share: number): string => `${Math.max(0.4, share * 100).toFixed(2)}%`;

/** The chain over time. It is a table, with the bars as one column: whoever does not see them reads the numbers. */
export function Waterfall({ spans, now }: { readonly spans: readonly Span[]; readonly now: number }) {
  const first = Math.min(...spans.map(({ from }) => from));
  const last = Math.max(first + 1, ...spans.map(({ from, to }) => to ?? Math.max(from, now)));
  const scale = scaleOf(spans, first, last, now);
  return (
    <table class="waterfall">
      <thead>
        <tr>
          <th scope="col">What</th>
          <th scope="col" class="number">
            From
          </th>
          <th scope="col" class="number">
            Took
          </th>
          <th scope="col">Result</th>
          <th scope="col" class="bars">
            {duration(last - first)} in all{scale.isCut && '; long waits are drawn shorter'}
          </th>
        </tr>
      </thead>
      <tbody>
        {spans.map(({ what, kind, from, to, note, depth }, index) => (
          <tr key={index}>
            <th scope="row" class={`depth-${depth}`}>
              <bdi>{oneLine(what, 80)}</bdi>
            </th>
            <td class="number">+{duration(from - first)}</td>
            <td class="number">
              {to === null ? `${duration(Math.max(0, now - from))} so far` : duration(to - from)}
            </td>
            <td>
              <bdi>{oneLine(note, 60)}</bdi>
            </td>
            <td class="bars">
              <span
                class={`bar ${kind} ${to === null ? 'going' : ''}`}
                style={{
                  marginLeft: width(Math.min(0.99, scale.at(from)) - 0.004),
                  width: width(scale.at(to ?? Math.max(from, now)) - scale.at(from)),
                }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
