import {
  type Complaint,
  complaint,
  type Format,
  findingsOnly,
  type Ground,
  list,
  mustList,
  object,
} from './report.ts';

/** A known hole in a dependency. It stays the same one when the version changes and the hole does not. */
const advisory = (root: Ground, name: unknown, id: unknown, message: string): Complaint =>
  complaint(root, {}, id, message, JSON.stringify([name, id]));

/**
 * `pip-audit --format json`. What it skips is a complaint too: it has looked at nothing there, and ends with 0.
 * @throws when it has skipped everything, because then most likely nobody answered.
 */
export const pipAudit: Format = (text, root) => {
  const dependencies = mustList(object(JSON.parse(text))['dependencies'], 'dependencies').map(object);
  const skipped = dependencies.filter(({ skip_reason }) => typeof skip_reason === 'string');
  if (skipped.length > 0 && skipped.length === dependencies.length)
    throw new Error(`no dependency could be audited: ${skipped[0]?.['skip_reason']}`);
  return findingsOnly(
    dependencies.flatMap(({ name, version, vulns, skip_reason }) => {
      if (typeof skip_reason === 'string') return [advisory(root, name, 'not_audited', skip_reason)];
      return list(vulns).map((vulnerability) => {
        const { id, fix_versions } = object(vulnerability);
        const fixed = list(fix_versions).join(', ') || 'no version';
        return advisory(root, name, id, `${name} ${version}: ${id}, fixed in ${fixed}`);
      });
    }),
  );
};

/** `npm audit --json`, second version. A package that is bad only through another one is named by that one. */
export const npmAudit: Format = (text, root) => {
  const { vulnerabilities } = object(JSON.parse(text));
  if (typeof vulnerabilities !== 'object' || vulnerabilities === null)
    throw new Error('the report has no vulnerabilities');
  return findingsOnly(
    Object.values(vulnerabilities).flatMap((entry) =>
      list(object(entry)['via']).flatMap((via) => {
        if (typeof via === 'string') return [];
        const { name, title, url, range, severity } = object(via);
        const id = typeof url === 'string' ? url.slice(url.lastIndexOf('/') + 1) : title;
        return [advisory(root, name, id, `${name} ${range}: ${title} (${severity})`)];
      }),
    ),
  );
};

/** `cargo audit --json`; warnings about unmaintained crates are no holes. */
export const cargoAudit: Format = (text, root) =>
  findingsOnly(
    mustList(object(object(JSON.parse(text))['vulnerabilities'])['list'], 'list of vulnerabilities').map(
      (entry) => {
        const { advisory: about, package: of } = object(entry);
        const { id, title } = object(about);
        const { name, version } = object(of);
        return advisory(root, name, id, `${name} ${version}: ${title}`);
      },
    ),
  );
