import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { AttemptView } from '../../shared/api/task-schemas.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { escapeToOneLine, escapeInvisibleCharacters as visibleLine } from '../components/escape-text.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { type GateFindingInFile, groupFindingsByFile, parseFindings } from './evidence-findings.ts';
import { type DiffFile, type DiffLine, parseDiff } from './parse-diff.ts';
import { useArtifact } from './use-artifact.ts';

/** Bytes that are read without being asked for more, lines of a file that are shown so, and characters of a line. */
const WHOLE = 4 * 1_048_576;
const MOST_LINES = 400;
const MOST_CHARACTERS = 500;

const Finding = ({ finding }: { readonly finding: GateFindingInFile }) => (
  <p class="finding">
    <b>{escapeToOneLine(finding.gate, 60)}</b>{' '}
    {finding.file !== null && (
      <bdi>
        {escapeToOneLine(finding.file, 200)}
        {finding.line === null ? '' : `:${finding.line}`}
      </bdi>
    )}{' '}
    <code>{escapeToOneLine(finding.rule, 120)}</code> <bdi>{escapeToOneLine(finding.message, 1_000)}</bdi>
  </p>
);

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = {
  added: '+',
  removed: '−',
  same: '',
  hunk: '',
  note: '',
};

function Lines({
  file,
  findings,
}: {
  readonly file: DiffFile;
  readonly findings: readonly GateFindingInFile[];
}) {
  const [most, setMost] = useState(MOST_LINES);
  const at = useMemo(() => Map.groupBy(findings, ({ line }) => line), [findings]);
  const inDiff = useMemo(() => new Set(file.lines.map(({ after }) => after)), [file]);
  const elsewhere = findings.filter(({ line }) => line === null || !inDiff.has(line));
  return (
    <>
      {elsewhere.map((finding, index) => (
        <Finding key={index} finding={finding} />
      ))}
      <table class="diff">
        <thead class="hidden">
          <tr>
            <th scope="col">Line before</th>
            <th scope="col">Line after</th>
            <th scope="col">Change</th>
            <th scope="col">Text</th>
          </tr>
        </thead>
        <tbody>
          {file.lines.slice(0, most).map((line, index) => (
            <Fragment key={index}>
              <tr class={line.kind}>
                <td class="number">{line.before}</td>
                <td class="number">{line.after}</td>
                <td>{SIGNS[line.kind]}</td>
                <td>
                  <pre dir="ltr">{oneLineOf(line.text)}</pre>
                </td>
              </tr>
              {line.after !== null &&
                at.get(line.after)?.map((finding, each) => (
                  <tr key={`${index}-${each}`}>
                    <td colSpan={4}>
                      <Finding finding={finding} />
                    </td>
                  </tr>
                ))}
            </Fragment>
          ))}
        </tbody>
      </table>
      {file.lines.length > most && (
        <button type="button" onClick={() => setMost((before) => before * 4)}>
          Show more lines ({file.lines.length - most} are left)
        </button>
      )}
    </>
  );
}

/** A line with its blanks, cut where it would take the page along. */
const oneLineOf = (text: string): string =>
  text.length > MOST_CHARACTERS
    ? `${visibleLine(text.slice(0, MOST_CHARACTERS))}… (${(text.length - MOST_CHARACTERS).toLocaleString('en')} more characters)`
    : visibleLine(text);

/** The patch of an attempt, with what our checks found in it where they found it. */
export function DiffSection({
  attempt,
  id,
  api,
  onTokenExpired,
}: ViewProps & { readonly attempt: AttemptView; readonly id: string }) {
  const [open, setOpen] = useState(false);
  const { number } = attempt;
  const patch = useArtifact(
    api,
    { id, attempt: number, kind: 'patch' },
    { wanted: open, whole: WHOLE, onTokenExpired },
  );
  const evidence = useArtifact(
    api,
    { id, attempt: number, kind: 'evidence' },
    { wanted: open && attempt.verification !== null, whole: WHOLE, onTokenExpired },
  );
  const files = useMemo(() => parseDiff(patch.text ?? ''), [patch.text]);
  const findings = useMemo(() => {
    if (evidence.text === null || evidence.nextOffset !== null) return [];
    try {
      return parseFindings(JSON.parse(evidence.text));
    } catch {
      return [];
    }
  }, [evidence.text, evidence.nextOffset]);
  const placed = useMemo(
    () =>
      groupFindingsByFile(
        findings,
        files.map(({ path }) => path),
      ),
    [findings, files],
  );
  return (
    <details class="part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Diff
        {files.length > 0 &&
          `: ${formatCount(files.length, 'file')}, ${formatCount(findings.length, 'finding')}`}
      </summary>
      <p role="status" class="dim">
        {patch.text === null && patch.error === '' && 'Asking …'}
        {patch.error}
        {evidence.error !== '' && ` Findings could not be read: ${evidence.error}`}
      </p>
      {(placed.get('') ?? []).map((finding, index) => (
        <Finding key={index} finding={finding} />
      ))}
      {files.map((file) => (
        <details key={file.path} class="file" open={files.length <= 20 && file.lines.length <= MOST_LINES}>
          <summary>
            <code>
              <bdi>{escapeToOneLine(file.path, 300)}</bdi>
            </code>{' '}
            {file.change}
            {file.previousPath !== null && (
              <>
                {' from '}
                <bdi>{escapeToOneLine(file.previousPath, 300)}</bdi>
              </>
            )}
            , +{file.added} −{file.removed}
            {placed.has(file.path) && `, ${formatCount(placed.get(file.path)?.length ?? 0, 'finding')}`}
          </summary>
          <Lines file={file} findings={placed.get(file.path) ?? []} />
        </details>
      ))}
      {patch.nextOffset !== null && patch.text !== null && (
        <button type="button" onClick={patch.loadMore}>
          Read on: {patch.nextOffset.toLocaleString('en')} of {patch.bytes.toLocaleString('en')} bytes are
          here
        </button>
      )}
    </details>
  );
}
