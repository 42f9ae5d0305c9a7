/** What a check complains about, with who says so. */
export interface GateFindingInFile {
  readonly gate: string;
  readonly file: string | null;
  readonly line: number | null;
  readonly rule: string;
  readonly message: string;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listIn = (value: unknown, field: string): readonly unknown[] => {
  const list = isRecord(value) ? value[field] : null;
  return Array.isArray(list) ? list : [];
};

/** The findings of all gates in an evidence document; whatever in it is not as it should be is left out. */
export function parseFindings(evidence: unknown): GateFindingInFile[] {
  return listIn(evidence, 'gates').flatMap((gate) =>
    listIn(gate, 'findings').flatMap((finding): GateFindingInFile[] => {
      if (!isRecord(finding)) return [];
      const { file, line, rule, message } = finding;
      return [
        {
          gate: isRecord(gate) ? String(gate['name']) : 'unknown',
          file: typeof file === 'string' ? file : null,
          line: typeof line === 'number' ? line : null,
          rule: String(rule ?? ''),
          message: String(message ?? ''),
        },
      ];
    }),
  );
}

/** Findings by file; under the empty name those that have no file, or are about one that the patch does not touch. */
export function groupFindingsByFile(
  findings: readonly GateFindingInFile[],
  paths: readonly string[],
): ReadonlyMap<string, GateFindingInFile[]> {
  const known = new Set(paths);
  const placed = new Map<string, GateFindingInFile[]>();
  for (const finding of findings) {
    const place = finding.file !== null && known.has(finding.file) ? finding.file : '';
    placed.set(place, [...(placed.get(place) ?? []), finding]);
  }
  return placed;
}
