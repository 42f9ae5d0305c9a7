import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { AttemptView } from '../../shared/api/schemas.ts';
import { count } from '../../shared/lib/format.ts';
import { oneLine, visible as visibleLine } from '../components/visible.ts';
import type { ViewProps } from '../shell/view.ts';
import { useArtifact } from './artifact.ts';
import { type DiffFile, type DiffLine, parseDiff } from './diff.ts';
import { byFile, findingsIn, type PlacedFinding } from './findings.ts';

/** Bytes that are read without being asked for more, lines of a file that are shown so, and characters of a line. */
const WHOLE = 4 * 1_048_576;
const MOST_LINES = 400;
const MOST_CHARACTERS = 500;

const Finding = ({ finding }: { readonly finding: PlacedFinding }) => (
  <p class="finding">
    <b>{oneLine(finding.gate, 60)}</b>{' '}
    {finding.file !== null && (
      <bdi>
        {oneLine(finding.file, 200)}
        {finding.line === null ? '' : `:${finding.line}`}
      </bdi>
    )}{' '}
    <code>{oneLine(finding.rule, 120)}</code> <bdi>{oneLine(finding.message, 1_000)}</bdi>
  </p>
);

const SIGNS: Readonly<Record<DiffLine['kind'], string>> = {
  added: '+',
  removed: '−',
  same: '',
  hunk: '',
  note: '',
};

function Lines({ file, findings }: { readonly file: DiffFile; readonly findings: readonly PlacedFinding[] }) {
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
export function DiffPart({
  attempt,
  id,
  api,
  onTokenOver,
}: ViewProps & { readonly attempt: AttemptView; readonly id: string }) {
  const [open, setOpen] = useState(false);
  const { number } = attempt;
  const patch = useArtifact(
    api,
    { id, attempt: number, kind: 'patch' },
    { wanted: open, whole: WHOLE, onTokenOver },
  );
  const evidence = useArtifact(
    api,
    { id, attempt: number, kind: 'evidence' },
    { wanted: open && attempt.verification !== null, whole: WHOLE, onTokenOver },
  );
  const files = useMemo(() => parseDiff(patch.text ?? ''), [patch.text]);
  const findings = useMemo(() => {
    if (evidence.text === null || evidence.next !== null) return [];
    try {
      return findingsIn(JSON.parse(evidence.text));
    } catch {
      return [];
    }
  }, [evidence.text, evidence.next]);
  const placed = useMemo(
    () =>
      byFile(
        findings,
        files.map(({ path }) => path),
      ),
    [findings, files],
  );
  return (
    <details class="part" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Diff{files.length > 0 && `: ${count(files.length, 'file')}, ${count(findings.length, 'finding')}`}
      </summary>
      <p role="status" class="dim">
        {patch.text === null && patch.trouble === '' && 'Asking …'}
        {patch.trouble}
        {evidence.trouble !== '' && ` Findings could not be read: ${evidence.trouble}`}
      </p>
      {(placed.get('') ?? []).map((finding, index) => (
        <Finding key={index} finding={finding} />
      ))}
      {files.map((file) => (
        <details key={file.path} class="file" open={files.length <= 20 && file.lines.length <= MOST_LINES}>
          <summary>
            <code>
              <bdi>{oneLine(file.path, 300)}</bdi>
            </code>{' '}
            {file.change}
            {file.from !== null && (
              <>
                {' from '}
                <bdi>{oneLine(file.from, 300)}</bdi>
              </>
            )}
            , +{file.added} −{file.removed}
            {placed.has(file.path) && `, ${count(placed.get(file.path)?.length ?? 0, 'finding')}`}
          </summary>
          <Lines file={file} findings={placed.get(file.path) ?? []} />
        </details>
      ))}
      {patch.next !== null && patch.text !== null && (
        <button type="button" onClick={patch.more}>
          Read on: {patch.next.toLocaleString('en')} of {patch.bytes.toLocaleString('en')} bytes are here
        </button>
      )}
    </details>
  );
}
