import type { AttemptView } from '../../shared/api/task-schemas.ts';
import { estimatedCostUsd } from '../../shared/contract/task/attempt-cost.ts';
import { formatCost, formatDollars } from '../../shared/lib/format.ts';
import { listAdvisoryFindings } from '../../shared/reviews/review/advisory-findings.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { UntrustedText } from '../components/untrusted-text.tsx';
import type { ViewProps } from '../shell/view-props.ts';
import { DiffSection } from './diff-section.tsx';
import { ScreenshotsSection } from './screenshots-section.tsx';
import { TranscriptSection } from './transcript-section.tsx';

/** How strong a kind of evidence is, in words. */
const KINDS: Readonly<Record<string, string>> = {
  executed: 'run by us',
  checked: 'looked at by us',
  judged: "a model's opinion",
  claimed: 'claimed by the agent',
};

const Pill = ({ word }: { readonly word: string }) => (
  <span class={`pill ${word.replaceAll('_', '-')}`}>{word.replaceAll('_', ' ')}</span>
);

/** Everything that the verdict was made of, each with how it is known. */
function Inputs({ attempt }: { readonly attempt: AttemptView }) {
  const details = new Map([
    ...(attempt.verification?.signals ?? []).map(({ subject, detail }): [string, string] => [
      subject,
      detail,
    ]),
    ...(attempt.verification?.gates ?? []).map(({ name, detail }): [string, string] => [name, detail]),
    ...(attempt.verdict?.judgements ?? []).map((each): [string, string] => [
      each.subject,
      // Nobody asked, or nothing said: then why.
      listAdvisoryFindings(each).join('; ') || each.request_reason,
    ]),
  ]);
  return (
    <table>
      <caption>What the verdict was made of</caption>
      <thead>
        <tr>
          <th scope="col">Outcome</th>
          <th scope="col">What</th>
          <th scope="col">How it is known</th>
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
            <td>{kind === null ? 'not said' : KINDS[kind]}</td>
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

/** One attempt: what the agent said, what we found, what was decided. */
export function AttemptSection(
  props: ViewProps & { readonly attempt: AttemptView; readonly id: string; readonly open: boolean },
) {
  const { attempt, open } = props;
  const { verdict, decision, report, verification_failure: failure, quality_score: score } = attempt;
  return (
    <details class="attempt" open={open}>
      <summary>
        <b>Attempt {attempt.number}</b> {escapeToOneLine(attempt.model ?? 'model not named')} ·{' '}
        {attempt.tier === null ? '' : `${escapeToOneLine(attempt.tier)} · `}
        <Pill word={attempt.outcome ?? 'running'} /> ·{' '}
        {attempt.cost_usd === null
          ? 'cost unknown'
          : formatCost(attempt.cost_usd, estimatedCostUsd([attempt]))}
      </summary>
      {attempt.route && <p class="dim">Routed: {escapeToOneLine(attempt.route.reason, 500)}</p>}
      {report && (
        <>
          <h3>What the agent says (a claim)</h3>
          <UntrustedText text={report.summary} />
        </>
      )}
      {failure && (
        <p class="trouble">
          There is no evidence: {failure.failure_code}: {escapeToOneLine(failure.message, 1_000)}
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
            {score === null ? '' : `; quality ${score.total} (${score.grade}), which decides nothing`}
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
      {attempt.artifact !== null && <DiffSection {...props} />}
      <ScreenshotsSection {...props} />
      {attempt.artifact?.transcript_key && <TranscriptSection {...props} />}
    </details>
  );
}
