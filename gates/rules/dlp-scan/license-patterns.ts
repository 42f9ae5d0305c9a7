import type { DetectionPattern } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import {
  COPYRIGHT_LINE_PATTERN,
  extractSpdxIds,
  normalizeCopyrightHolder,
  type ProjectLicense,
} from './project-license.ts';

const base = { severity: 'high', before: 0, after: 320, rank: DETECTOR_RANK.token, inBinary: false } as const;

/** What templates and manuals have in the place of a name. */
const NO_OWNER =
  /^(?:your name|your company|author|the authors?|name|owner|copyright holders?|<.*|\[.*|\{.*|\$.*|%.*|name of (?:copyright owner|author)|example(?: (?:inc|corp|ltd|company))?)\b/i;

/** Files that say whose a package is: they come with it, and to leave them out would be wrong. */
const NOTICE =
  /^(?:.{1,60}[-_.])?(?:licen[sc]es?|notices?|copyright|third[-_ ]?party.{0,40})(?:[-_.].{0,40})?$/i;

/** Packages of others that are kept as they are, and say themselves whose they are. */
const VENDORED = /(?:^|\/)(?:vendor|third[-_]party|node_modules)\//i;
const PERMISSIVE = /^(?:mit|mit-0|isc|0bsd|bsd-[23]-clause|apache-2\.0|unlicense|zlib|cc0-1\.0|bsl-1\.0)$/;

/** Whether a file may name others as holders: the notice of a package in a folder, or the first one of the project itself. */
function isNotice(path: string, own: ProjectLicense): boolean {
  const at = path.lastIndexOf('/') + 1;
  const name = path.slice(at);
  if (VENDORED.test(path)) return true;
  return (
    NOTICE.test(name) && (at > 0 || /^(?:third|.*notices?)/i.test(name) || own.copyrightHolders.size === 0)
  );
}

/** Rules for text that somebody else has the rights to. @param own what is the project's own, and so is nobody else's. */
export function buildLicensePatterns(own: ProjectLicense): DetectionPattern[] {
  const ours = (text: string): boolean => {
    const owner = normalizeCopyrightHolder(text);
    return [...own.copyrightHolders].some(
      (name) => owner === name || owner.startsWith(`${name} `) || owner.startsWith(`${name},`),
    );
  };
  return [
    {
      ...base,
      rule: 'spdx_identifier',
      title: 'license of somebody else',
      anchors: ['spdx-license-identifier'],
      pattern:
        /SPDX-License-Identifier:[ \t]{0,8}(?<value>[A-Za-z0-9.+()-]{2,60}(?:[ \t]{1,2}(?:AND|OR|WITH)[ \t]{1,2}[A-Za-z0-9.+()-]{2,60}){0,4})/i,
      rateCandidate: ({ value, file }) => {
        const ids = extractSpdxIds(value);
        if (ids.length > 0 && ids.every((id) => own.spdxIds.has(id))) return null;
        const mayBe = VENDORED.test(file.path) && ids.length > 0 && ids.every((id) => PERMISSIVE.test(id));
        return mayBe ? 'medium' : 'high';
      },
    },
    {
      ...base,
      rule: 'copyright_header',
      title: 'copyright of somebody else',
      anchors: ['copyright'],
      pattern: new RegExp(COPYRIGHT_LINE_PATTERN, 'i'),
      rateCandidate: ({ value, file }) =>
        normalizeCopyrightHolder(value).length < 2 ||
        NO_OWNER.test(normalizeCopyrightHolder(value)) ||
        ours(value)
          ? null
          : isNotice(file.path, own)
            ? 'medium'
            : 'high',
    },
    {
      ...base,
      rule: 'all_rights_reserved',
      title: 'rights that somebody reserves',
      anchors: ['all rights reserved'],
      pattern: /all rights reserved/i,
      rateCandidate: ({ text, at, file }) => {
        if (own.reservesAllRights) return null;
        const before = text.slice(Math.max(0, at - 200), at);
        const line = before.slice(before.lastIndexOf('\n') + 1);
        const owner = new RegExp(COPYRIGHT_LINE_PATTERN, 'i').exec(`${line} `)?.groups?.['value'];
        if (owner !== undefined && ours(owner)) return null;
        return isNotice(file.path, own) ? 'medium' : 'high';
      },
      before: 200,
    },
    {
      ...base,
      rule: 'gpl_notice',
      title: 'license of the GNU family',
      anchors: ['gnu '],
      pattern: /GNU (?:(?:Affero|Lesser|Library) )?General Public Licen[sc]e/i,
      rateCandidate: () => (own.isGnu ? null : 'high'),
    },
  ];
}
