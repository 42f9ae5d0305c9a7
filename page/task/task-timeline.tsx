import { formatDuration } from '../../shared/lib/format.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { createTimeScale } from './time-scale.ts';
import type { TimeSpan } from './time-spans.ts';

const width = (share: number): string => `${Math.max(0.4, share * 100).toFixed(2)}%`;

/** The chain over time. It is a table, with the bars as one column: whoever does not see them reads the numbers. */
export function TaskTimeline({ spans, now }: { readonly spans: readonly TimeSpan[]; readonly now: number }) {
  const first = Math.min(...spans.map(({ start }) => start));
  const last = Math.max(first + 1, ...spans.map(({ start, end }) => end ?? Math.max(start, now)));
  const scale = createTimeScale(spans, first, last, now);
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
            {formatDuration(last - first)} in all{scale.hasShortenedWaits && '; long waits are drawn shorter'}
          </th>
        </tr>
      </thead>
      <tbody>
        {spans.map(({ label, kind, start, end, note, depth }, index) => (
          <tr key={index}>
            <th scope="row" class={`depth-${depth}`}>
              <bdi>{escapeToOneLine(label, 80)}</bdi>
            </th>
            <td class="number">+{formatDuration(start - first)}</td>
            <td class="number">
              {end === null
                ? `${formatDuration(Math.max(0, now - start))} so far`
                : formatDuration(end - start)}
            </td>
            <td>
              <bdi>{escapeToOneLine(note, 60)}</bdi>
            </td>
            <td class="bars">
              <span
                class={`bar ${kind} ${end === null ? 'going' : ''}`}
                style={{
                  marginLeft: width(Math.min(0.99, scale.positionOf(start)) - 0.004),
                  width: width(scale.positionOf(end ?? Math.max(start, now)) - scale.positionOf(start)),
                }}
              />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
