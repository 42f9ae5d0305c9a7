import type { ComponentChildren } from 'preact';
import { LinePlot, type LinePlotSeries } from '../components/plot.tsx';
import { SqlDetails } from './sql-details.tsx';

interface Props {
  readonly title: string;
  /** What is to be seen, in a sentence. */
  readonly about: ComponentChildren;
  readonly dates: readonly string[];
  readonly times: readonly number[];
  readonly lines: readonly LinePlotSeries[];
  readonly show: (value: number | null) => string;
  /** Name and text of the query that asks the records the same. */
  readonly sql: { readonly name: string; readonly text: string };
}

/** A plot, the same numbers as a table, and the SQL that gets them out of the records. */
export function MetricChart({ title, about, dates, times, lines, show, sql }: Props) {
  return (
    <section class="figure">
      <h2>{title}</h2>
      <p class="dim">{about}</p>
      {dates.length === 0 ? (
        <p>There is no data yet.</p>
      ) : (
        <LinePlot times={times} lines={lines} show={show} />
      )}
      <details>
        <summary>Numbers: {title}</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                <th scope="col">Day</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {dates.map((date, index) => (
                <tr key={date}>
                  <th scope="row">{date}</th>
                  {lines.map(({ name, values }) => (
                    <td key={name} class="number">
                      {show(values[index] ?? null)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
      <SqlDetails title={title} {...sql} />
    </section>
  );
}
