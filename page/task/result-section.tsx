import type { AttemptView, TaskView } from '../../shared/api/task-schemas.ts';
import type { ReviewedRequirement } from '../../shared/contract/judgement/judgement.ts';
import {
  describeIndependentResult,
  listIndependentResults,
} from '../../shared/control/verdict/verdict-inputs.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { escapeToOneLine } from '../components/escape-text.ts';
import { Pill } from '../components/pill.tsx';
import { UntrustedText } from '../components/untrusted-text.tsx';

/** Failing checks that are shown before a reader asks for more. */
const MAX_SHOWN_CHECKS = 10;

const VERDICT_WORDS = { pass: 'passed', fail: 'failed', refer: 'needs review' } as const;
const REQUIREMENT_WORDS = { met: 'met', not_met: 'not met', cannot_tell: 'cannot tell' } as const;

/** Returns the reason of a result in one line: the first failing test with its assertion, else the first reason of the verdict. */
export function oneLineReason(task: TaskView, judged: AttemptView | undefined): string {
  const failing = judged?.verification?.failed_checks[0];
  if (judged?.verdict?.verdict === 'fail' && failing)
    return escapeToOneLine(`${failing.check}: ${failing.message}`, 300);
  const reason = judged?.verdict?.reasons[0]?.message ?? task.failure?.message ?? task.hold?.reasons[0];
  return escapeToOneLine(reason?.split('\n')[0] ?? '', 300);
}

/** Results of tests that were written without the author of the patch. */
function IndependentEvidence({ judged }: { readonly judged: AttemptView }) {
  const results = listIndependentResults(judged);
  if (results.length === 0) return null;
  return (
    <section>
      <h2>Independent evidence</h2>
      <ul class="independent">
        {results.map((each) => (
          <li key={each.name}>
            <Pill word={each.outcome} /> <bdi>{escapeToOneLine(describeIndependentResult(each), 1_000)}</bdi>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** The requirements of the task as reviewers decided them, those that are not met first. */
function Requirements({ requirements }: { readonly requirements: readonly ReviewedRequirement[] }) {
  const rank = ({ state }: ReviewedRequirement): number => ['not_met', 'cannot_tell', 'met'].indexOf(state);
  const met = requirements.filter(({ state }) => state === 'met').length;
  return (
    <table>
      <caption>
        Requirements: {met} of {requirements.length} met
      </caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Requirement</th>
          <th scope="col">Where</th>
          <th scope="col">Reason</th>
        </tr>
      </thead>
      <tbody>
        {requirements
          .toSorted((a, b) => rank(a) - rank(b))
          .map(({ requirement, state, file, line, reason }, index) => (
            <tr key={index}>
              <td>
                <Pill word={REQUIREMENT_WORDS[state]} />
              </td>
              <td class="note">
                <bdi>{escapeToOneLine(requirement, 500)}</bdi>
              </td>
              <td class="note">
                <bdi>
                  {file === null ? '' : escapeToOneLine(`${file}${line === null ? '' : `:${line}`}`, 200)}
                </bdi>
              </td>
              <td class="note">
                <bdi>{escapeToOneLine(reason, 500)}</bdi>
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}

/** Tests and other checks that failed, each with its message. */
function FailedChecks({ verification }: { readonly verification: NonNullable<AttemptView['verification']> }) {
  const { failed_checks: checks, failed_checks_omitted: omitted = 0 } = verification;
  const rest = checks.slice(MAX_SHOWN_CHECKS);
  const list = (shown: typeof checks) => (
    <ul class="checks">
      {shown.map(({ check, message }, index) => (
        <li key={index}>
          <b>
            <bdi>{escapeToOneLine(check, 300)}</bdi>
          </b>
          <UntrustedText text={message} />
        </li>
      ))}
    </ul>
  );
  return (
    <section>
      <h2>{formatCount(checks.length + omitted, 'failing check')}</h2>
      {list(checks.slice(0, MAX_SHOWN_CHECKS))}
      {rest.length > 0 && (
        <details>
          <summary>{formatCount(rest.length, 'more failing check')}</summary>
          {list(rest)}
        </details>
      )}
      {omitted > 0 && <p class="dim">{omitted} more are in the evidence.</p>}
    </section>
  );
}

/** What a reviewer needs first: the verdict with its reason, the requirements, and what failed. */
export function ResultSection({
  task,
  judged,
}: {
  readonly task: TaskView;
  /** The latest attempt that has a verdict. */
  readonly judged: AttemptView | undefined;
}) {
  const verdict = judged?.verdict;
  const requirements = (verdict?.judgements ?? []).flatMap((each) => each.requirements ?? []);
  const checks = judged?.verification?.failed_checks ?? [];
  if (!verdict && !task.failure) return null;
  return (
    <>
      <p class={`result ${verdict?.verdict ?? 'fail'}`}>
        <b>
          {verdict
            ? `Attempt ${judged.number}: ${VERDICT_WORDS[verdict.verdict]}`
            : 'No attempt was verified'}
          {verdict && !verdict.verified ? ', unverified' : ''}
        </b>{' '}
        <bdi>{oneLineReason(task, judged)}</bdi>
      </p>
      {judged && <IndependentEvidence judged={judged} />}
      {requirements.length > 0 && <Requirements requirements={requirements} />}
      {judged?.verification && checks.length > 0 && <FailedChecks verification={judged.verification} />}
    </>
  );
}
