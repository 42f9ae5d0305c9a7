import { useEffect, useMemo, useState } from 'preact/hooks';
import type * as z from 'zod';
import type { FileHealthList } from '../../shared/control/file-health/file-health-schemas.ts';
import costSql from '../../shared/control/ledger/queries/chain-cost-and-savings.sql';
import durationsSql from '../../shared/control/ledger/queries/durations.sql';
import winRateSql from '../../shared/control/ledger/queries/model-win-rate.sql';
import slowGatesSql from '../../shared/control/ledger/queries/slow-gates.sql';
import unverifiedSql from '../../shared/control/ledger/queries/unverified-ratio-by-day.sql';
import type { BudgetForecast } from '../../shared/control/metrics/budget-forecast.ts';
import type { QualityCost } from '../../shared/control/metrics/cost-view.ts';
import type { QualityMetrics, QualityTrend } from '../../shared/control/metrics/quality-schemas.ts';
import { formatDollars, formatDuration, formatPercent } from '../../shared/lib/format.ts';
import { TokenExpiredError } from '../api/api-errors.ts';
import type { LinePlotSeries } from '../components/plot.tsx';
import type { TaskStatusSnapshot, ViewProps } from '../shell/view-props.ts';
import { FileHealthTable } from './file-health-table.tsx';
import { MetricChart } from './metric-chart.tsx';
import { BudgetForecastSection, CostTables, GateQualityTable } from './quality-tables.tsx';
import { trendLinesByName } from './trend-lines.ts';

interface Answers {
  readonly quality: z.infer<typeof QualityMetrics>;
  readonly trend: z.infer<typeof QualityTrend>;
  readonly cost: z.infer<typeof QualityCost>;
  readonly forecast: z.infer<typeof BudgetForecast>;
  readonly files: z.infer<typeof FileHealthList>;
}

const share = (value: number | null): string => (value === null ? 'no data' : formatPercent(value));
const money = (value: number | null): string => (value === null ? 'unknown' : formatDollars(value));
const time = (value: number | null): string => (value === null ? 'no data' : formatDuration(value * 1_000));

/** Results of tasks, gates and costs by day. They are loaded once, and again on request. */
export function QualityPage({
  api,
  onTokenExpired,
  status,
}: ViewProps & { readonly status: TaskStatusSnapshot | null }) {
  const [answers, setAnswers] = useState<Answers | null>(null);
  const [trouble, setTrouble] = useState('');
  const [asked, setAsked] = useState(0);
  useEffect(() => {
    let over = false;
    const read = async <T,>(path: string): Promise<T> => {
      const found = await api.read<T>(path);
      if (found === null) throw new Error('The answer has no body.');
      return found.body;
    };
    Promise.all([
      read<Answers['quality']>('/quality'),
      read<Answers['trend']>('/quality/trend?days=30'),
      read<Answers['cost']>('/quality/cost?days=30'),
      read<Answers['forecast']>('/quality/budget-forecast'),
      read<Answers['files']>('/quality/file-health'),
    ]).then(
      ([quality, trend, cost, forecast, files]) => {
        if (over) return;
        setAnswers({ quality, trend, cost, forecast, files });
        setTrouble('');
      },
      (error: Error) => {
        if (over) return;
        if (error instanceof TokenExpiredError) onTokenExpired();
        else setTrouble(error.message);
      },
    );
    return () => {
      over = true;
    };
  }, [api, asked, onTokenExpired]);

  const threshold = status?.verification_nudge.nudge_threshold ?? null;
  const figures = useMemo(() => {
    const series = answers?.trend.series ?? [];
    return {
      dates: series.map(({ date }) => date),
      times: series.map(({ ts }) => ts),
      unverified: [
        { name: 'unverified', values: series.map((each) => each.unverified_ratio) },
        ...(threshold === null
          ? []
          : [{ name: 'threshold', values: series.map(() => threshold), isThreshold: true }]),
      ] satisfies LinePlotSeries[],
      spend: [
        {
          name: 'spent',
          values: series.map((each) => each.cost_usd),
        },
        { name: 'saved', values: series.map((each) => each.saved_usd) },
      ],
      tiers: trendLinesByName(series, (each) => each.tier_pass_rates),
      gates: trendLinesByName(series, (each) => each.gate_seconds),
      queue: [
        { name: 'median', values: series.map((each) => each.queue_p50_seconds) },
        { name: '90th percentile', values: series.map((each) => each.queue_p90_seconds) },
      ],
    };
  }, [answers, threshold]);
  const { dates, times } = figures;
  const over = { dates, times };
  return (
    <div class="quality">
      <h1>Quality in the last 30 days</h1>
      <div class="buttons">
        <button type="button" onClick={() => setAsked((before) => before + 1)}>
          Reload
        </button>
      </div>
      <p role="alert" class="trouble">
        {trouble}
      </p>
      {answers === null ? (
        trouble === '' && <p class="dim">Loading …</p>
      ) : (
        <>
          <div class="figures">
            <MetricChart
              {...over}
              title="Completed without verification"
              about={`Share of the day's completions without evidence from gates or signals${threshold === null ? '' : `; the threshold is ${formatPercent(threshold)}`}.`}
              lines={figures.unverified}
              show={share}
              sql={{ name: 'unverified-ratio-by-day', text: unverifiedSql }}
            />
            <MetricChart
              {...over}
              title="Spent and saved"
              about="Cost of the tasks that ended that day, and the saving over asking the top model at once; negative where the cascade cost more."
              lines={figures.spend}
              show={money}
              sql={{ name: 'chain-cost-and-savings', text: costSql }}
            />
            <MetricChart
              {...over}
              title="Pass rate by tier"
              about="Share of the attempts of each tier that passed."
              lines={figures.tiers}
              show={share}
              sql={{ name: 'model-win-rate', text: winRateSql }}
            />
            <MetricChart
              {...over}
              title="Duration of gates"
              about="Mean duration of a run, of the gates that run most."
              lines={figures.gates}
              show={time}
              sql={{ name: 'slow-gates', text: slowGatesSql }}
            />
            <MetricChart
              {...over}
              title="Time in the queue"
              about="From submission to the first claim."
              lines={figures.queue}
              show={time}
              sql={{ name: 'durations', text: durationsSql }}
            />
          </div>
          <BudgetForecastSection forecast={answers.forecast} />
          <GateQualityTable gates={answers.quality.gate_stats} days={answers.quality.windows.gates} />
          <FileHealthTable list={answers.files} api={api} onTokenExpired={onTokenExpired} />
          <CostTables cost={answers.cost} />
        </>
      )}
    </div>
  );
}
