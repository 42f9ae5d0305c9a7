import type { AttemptView } from '../../shared/api/task-schemas.ts';
import { estimatedCostUsd } from '../../shared/contract/task/attempt-cost.ts';
import { formatCost, formatDollars } from '../../shared/lib/format.ts';
import { listAdvisoryFindings } from '../../shared/reviews/review/advisory-findings.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { Pill } from '../components/pill.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { DiffSection } from './diff-section.tsx';
import { ScreenshotsSection } from './screenshots-section.tsx';
import { TranscriptSection } from './transcript-section.tsx';

/** Kinds of evidence, in words. */
const KINDS: Readonly<Record<string, string>> = {
  executed: 'executed',
  checked: 'read by a rule',
  judged: 'opinion of a model',
  claimed: 'claim of the agent',
};

/** Everything that the verdict follows from, with the kind of each piece of evidence. */
function Inputs({ attempt }: { readonly attempt: AttemptView }) {
  const details = new Map([
    ...(attempt.verification?.signals ?? []).map(({ subject, detail }): [string, string] => [
      subject,
      detail,
    ]),
    ...(attempt.verification?.gates ?? []).map(({ name, detail }): [string, string] => [name, detail]),
    ...(attempt.verdict?.judgements ?? []).map((each): [string, string] => [
      each.subject,
      // Where no model was asked or none answered: why.
      listAdvisoryFindings(each).join('; ') || each.request_reason,
    ]),
  ]);
  return (
    <table>
      <caption>Evidence of the verdict</caption>
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">Check</th>
          <th scope="col">Kind of evidence</th>
          <th scope="col">Detail</th>
        </tr>
      </thead>
      <tbody>
        {attempt.inputs.map(({ source, name, kind, outcome, model, cost_usd }, index) => (
          <tr key={index}>
            <td>
              <Pill word={outcome} />
            </td>
            <td>
              {source} <bdi>{escapeToOneLine(name, 200)}</bdi>
            </td>
            <td>{kind === null ? 'unknown' : KINDS[kind]}</td>
            <td class="note">
              <bdi>
                {[
                  source === 'judge' && model ? `${escapeToOneLine(model)}, ${formatDollars(cost_usd)}` : '',
                  escapeToOneLine(details.get(name) ?? '', 400),
                ]
                  .filter((part) => part !== '')
                  .join(': ')}
              </bdi>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the outcome of an attempt, or what it waits for. */
function stateOf({ outcome, verdict, report }: AttemptView): string {
  if (outcome !== null) return outcome;
  if (verdict) return verdict.verdict === 'refer' ? 'needs review' : `verdict ${verdict.verdict}`;
  return report ? 'verifying' : 'running';
}

/** One attempt: the agent's summary, the verdict with its evidence, and what the cascade decided. */
export function AttemptSection(
  props: ViewProps & {
    readonly attempt: AttemptView;
    readonly id: string;
    readonly open: boolean;
    /** Whether the page shows its diff above. */
    readonly isDiffAbove: boolean;
  },
) {
  const { attempt, open, isDiffAbove } = props;
  const { verdict, decision, report, verification_failure: failure, quality_score: score } = attempt;
  return (
    <details class="attempt" open={open}>
      <summary>
        <b>Attempt {attempt.number}</b> {escapeToOneLine(attempt.model ?? 'model not named')} ·{' '}
        {attempt.tier === null ? '' : `${escapeToOneLine(attempt.tier)} · `}
        <Pill word={stateOf(attempt)} /> ·{' '}
        {attempt.cost_usd === null
          ? 'cost unknown'
          : formatCost(attempt.cost_usd, estimatedCostUsd([attempt]))}
      </summary>
      {attempt.route && <p class="dim">Routed: {escapeToOneLine(attempt.route.reason, 500)}</p>}
      {report && (
        <>
          <h3>Summary of the agent (a claim)</h3>
          <UntrustedText text={report.summary} />
          {report.status === 'failed' && report.output_tail !== '' && (
            <>
              <h3>Last output</h3>
              <UntrustedText text={report.output_tail} />
            </>
          )}
        </>
      )}
      {failure && (
        <p class="trouble">
          No evidence: {failure.failure_code}: {escapeToOneLine(failure.message, 1_000)}
        </p>
      )}
      {verdict && (
        <>
          <h3>
            Verdict <Pill word={verdict.verdict} /> {verdict.verified ? '' : <Pill word="unverified" />}
          </h3>
          <p class="dim">
            On tree <code>{verdict.tree.slice(0, 12)}</code> over base{' '}
            <code>{verdict.base_commit.slice(0, 12)}</code>
            {score === null ? '' : `; quality score ${score.total} (${score.grade})`}
          </p>
          <ul class="reasons">
            {verdict.reasons.map((reason, index) => (
              <li key={index}>
                <code>{reason.code}</code> <UntrustedText text={reason.message} />
              </li>
            ))}
          </ul>
          <Inputs attempt={attempt} />
        </>
      )}
      {decision && (
        <p>
          Then: <b>{decision.action.replaceAll('_', ' ')}</b>
          {decision.next_model ? ` to ${escapeToOneLine(decision.next_model)}` : ''}:{' '}
          {escapeToOneLine(decision.reason, 500)}
        </p>
      )}
      {attempt.artifact !== null && !isDiffAbove && <DiffSection {...props} open={false} />}
      <ScreenshotsSection {...props} />
      {(attempt.artifact?.transcript_key ?? report?.transcript_key) && <TranscriptSection {...props} />}
    </details>
  );
}
