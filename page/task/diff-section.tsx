import { Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import type { AttemptView } from '../../shared/api/task-schemas.ts';
import { formatCount } from '../../shared/lib/format.ts';
import { escapeToOneLine, escapeInvisibleCharacters as visibleLine } from '../components/escape-text.ts';
import type { ViewProps } from '../shell/view-props.ts';
import { type GateFindingInFile, groupFindingsByFile, parseFindings } from './evidence-findings.ts';
import { type DiffFile, type DiffLine, type DiffRow, pairDiffLines, parseDiff } from './parse-diff.ts';
import { useArtifact } from './use-artifact.ts';

/** Bytes of a patch that are read at once, lines of a file that are shown at once, and characters of a line. */
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

const Text = ({ line }: { readonly line: DiffLine | null }) => (
  <td class={line?.kind}>{line && <pre dir="ltr">{oneLineOf(line.text)}</pre>}</td>
);

const UnifiedRow = ({ line }: { readonly line: DiffLine }) => (
  <tr class={line.kind}>
    <td class="number">{line.before}</td>
    <td class="number">{line.after}</td>
    <td>{SIGNS[line.kind]}</td>
    <Text line={line} />
  </tr>
);

const SplitRow = ({ row: { left, right } }: { readonly row: DiffRow }) =>
  left?.kind === 'hunk' || left?.kind === 'note' ? (
    <tr class={left.kind}>
      <td colSpan={4}>
        <pre dir="ltr">{oneLineOf(left.text)}</pre>
      </td>
    </tr>
  ) : (
    <tr>
      <td class="number">{left?.before}</td>
      <Text line={left} />
      <td class="number">{right?.after}</td>
      <Text line={right} />
    </tr>
  );

const HEADS: Readonly<Record<DiffLayout, readonly string[]>> = {
  unified: ['Line before', 'Line after', 'Change', 'Text'],
  split: ['Line before', 'Text before', 'Line after', 'Text after'],
};

function Lines({
  file,
  findings,
  layout,
}: {
  readonly file: DiffFile;
  readonly findings: readonly GateFindingInFile[];
  readonly layout: DiffLayout;
}) {
  const [most, setMost] = useState(MOST_LINES);
  const at = useMemo(() => Map.groupBy(findings, ({ line }) => line), [findings]);
  const inDiff = useMemo(() => new Set(file.lines.map(({ after }) => after)), [file]);
  const rows = useMemo(
    (): readonly DiffRow[] =>
      layout === 'split'
        ? pairDiffLines(file.lines)
        : file.lines.map((line) => ({ left: line, right: line.after === null ? null : line })),
    [file, layout],
  );
  const elsewhere = findings.filter(({ line }) => line === null || !inDiff.has(line));
  return (
    <>
      {elsewhere.map((finding, index) => (
        <Finding key={index} finding={finding} />
      ))}
      <table class={`diff ${layout}`}>
        {layout === 'split' && (
          <colgroup>
            <col class="number" />
            <col />
            <col class="number" />
            <col />
          </colgroup>
        )}
        <thead class="hidden">
          <tr>
            {HEADS[layout].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, most).map((row, index) => (
            <Fragment key={index}>
              {layout === 'split' ? <SplitRow row={row} /> : row.left && <UnifiedRow line={row.left} />}
              {row.right !== null &&
                row.right.after !== null &&
                at.get(row.right.after)?.map((finding, each) => (
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
      {rows.length > most && (
        <button type="button" onClick={() => setMost((before) => before * 4)}>
          Show more lines ({rows.length - most} are left)
        </button>
      )}
    </>
  );
}

/** Returns a line with its blanks, cut where it is too long for the page. */
const oneLineOf = (text: string): string =>
  text.length > MOST_CHARACTERS
    ? `${visibleLine(text.slice(0, MOST_CHARACTERS))}… (${(text.length - MOST_CHARACTERS).toLocaleString('en')} more characters)`
    : visibleLine(text);

type DiffLayout = 'unified' | 'split';

interface Props extends ViewProps {
  readonly attempt: AttemptView;
  readonly id: string;
  /** Whether it is shown at once. */
  readonly open: boolean;
}

/** The patch of an attempt, with the findings of the gates on their lines. */
export function DiffSection({ attempt, id, api, onTokenExpired, open: openAtFirst }: Props) {
  const [open, setOpen] = useState(openAtFirst);
  const [layout, setLayout] = useState<DiffLayout>('unified');
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
    <details class="part" open={openAtFirst} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        Diff
        {files.length > 0 &&
          `: ${formatCount(files.length, 'file')}, ${formatCount(findings.length, 'finding')}`}
      </summary>
      <p role="status" class="dim">
        {patch.text === null && patch.error === '' && 'Loading …'}
        {patch.error}
        {evidence.error !== '' && ` Findings could not be read: ${evidence.error}`}
      </p>
      {files.length > 0 && (
        <button type="button" onClick={() => setLayout(layout === 'split' ? 'unified' : 'split')}>
          Show {layout === 'split' ? 'unified' : 'side by side'}
        </button>
      )}
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
          <Lines file={file} findings={placed.get(file.path) ?? []} layout={layout} />
        </details>
      ))}
      {patch.nextOffset !== null && patch.text !== null && (
        <button type="button" onClick={patch.loadMore}>
          Load more: {patch.nextOffset.toLocaleString('en')} of {patch.bytes.toLocaleString('en')} bytes are
          shown
        </button>
      )}
    </details>
  );
}
