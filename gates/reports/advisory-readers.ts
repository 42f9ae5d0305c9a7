import {
  createFindingsReport,
  createToolFinding,
  type ReportCheckoutRoot,
  type ReportReader,
  requireJsonList,
  requireStatedCount,
  type ToolFinding,
  toJsonList,
  toJsonRecord,
} from './tool-report.ts';

/** A known hole in a dependency. It stays the same one when the version changes and the hole does not. */
const advisory = (root: ReportCheckoutRoot, name: unknown, id: unknown, message: string): ToolFinding =>
  createToolFinding(root, {}, id, message, JSON.stringify([name, id]));

/**
 * `pip-audit --format json`. What it skips is a complaint too: it has looked at nothing there, and ends with 0.
 * @throws when it has skipped everything, because then most likely nobody answered.
 */
export const readPipAudit: ReportReader = (text, root) => {
  const dependencies = requireJsonList(toJsonRecord(JSON.parse(text))['dependencies'], 'dependencies').map(
    toJsonRecord,
  );
  const skipped = dependencies.filter(({ skip_reason }) => typeof skip_reason === 'string');
  if (skipped.length > 0 && skipped.length === dependencies.length)
    throw new Error(`no dependency could be audited: ${skipped[0]?.['skip_reason']}`);
  return createFindingsReport(
    dependencies.flatMap(({ name, version, vulns, skip_reason }) => {
      if (typeof skip_reason === 'string') return [advisory(root, name, 'not_audited', skip_reason)];
      return toJsonList(vulns).map((vulnerability) => {
        const { id, fix_versions } = toJsonRecord(vulnerability);
        const fixed = toJsonList(fix_versions).join(', ') || 'no version';
        return advisory(root, name, id, `${name} ${version}: ${id}, fixed in ${fixed}`);
      });
    }),
  );
};

/** `npm audit --json`, second version. A package that is bad only through another one is named by that one. */
export const readNpmAudit: ReportReader = (text, root) => {
  const { vulnerabilities, metadata } = toJsonRecord(JSON.parse(text));
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null)
    throw new Error('the report has no vulnerabilities');
  const { total } = toJsonRecord(toJsonRecord(metadata)['vulnerabilities']);
  requireStatedCount(total, Object.keys(vulnerabilities).length, 'vulnerable packages');
  return createFindingsReport(
    Object.values(vulnerabilities).flatMap((entry) =>
      toJsonList(toJsonRecord(entry)['via']).flatMap((via) => {
        if (typeof via === 'string') return [];
        const { name, title, url, range, severity } = toJsonRecord(via);
        const id = typeof url === 'string' ? url.slice(url.lastIndexOf('/') + 1) : title;
        return [advisory(root, name, id, `${name} ${range}: ${title} (${severity})`)];
      }),
    ),
  );
};

/** `cargo audit --json`; warnings about unmaintained crates are no holes. */
export const readCargoAudit: ReportReader = (text, root) => {
  const { list, count } = toJsonRecord(toJsonRecord(JSON.parse(text))['vulnerabilities']);
  const entries = requireJsonList(list, 'list of vulnerabilities');
  requireStatedCount(count, entries.length, 'vulnerabilities');
  return createFindingsReport(
    entries.map((entry) => {
      const { advisory: about, package: of } = toJsonRecord(entry);
      const { id, title } = toJsonRecord(about);
      const { name, version } = toJsonRecord(of);
      return advisory(root, name, id, `${name} ${version}: ${title}`);
    }),
  );
};
