import type { DetectionPattern } from '../scan/detection-pattern.ts';
import { DETECTOR_RANK } from '../scan/detector.ts';
import { isPlaceholder, isRepetitiveFiller, isVariableReference } from '../scan/value-checks.ts';
import { buildLabelledValuePattern } from './labelled-value-pattern.ts';

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}';

/** Machines that everybody has under this name. */
const COMMON_HOSTS = /^(?:metadata\.google|host\.docker|gateway\.docker|kubernetes\.docker)\.internal$/i;

const proprietary = {
  before: 0,
  after: 200,
  severity: 'medium',
  rank: DETECTOR_RANK.shape,
  inBinary: false,
} as const;

/** What tells how the own house is built. @param hosts further machine names, `*` for one label. */
export function buildProprietaryPatterns(
  prefixes: readonly string[],
  hosts: readonly string[],
): DetectionPattern[] {
  const marked = (value: string): boolean =>
    prefixes.some((prefix) => value.toUpperCase().startsWith(prefix.toUpperCase()));
  return [
    {
      ...proprietary,
      rule: 'private_ip_address',
      title: 'private IP address',
      anchors: ['10.', '192.168.', '172.'],
      pattern:
        /(?<![\w.])(?:10(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3}|192\.168(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){2}|172\.(?:1[6-9]|2\d|3[01])(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){2})(?![\w]|\.\d)/,
    },
    {
      ...proprietary,
      rule: 'internal_hostname',
      title: 'name of an internal machine',
      anchors: ['.internal', '.corp', '.intranet', '.lan', '.private'],
      before: 130,
      pattern:
        /(?<![\w.-])(?:[a-z0-9-]{1,40}\.){1,3}(?:internal|corp|intranet|lan|private)(?![\w-]|\.\w|\()/i,
      // In code a dot is mostly not one of a host.
      rateCandidate: ({ value, text, at, file }) =>
        COMMON_HOSTS.test(value) ||
        marked(value) ||
        (file.kind === 'code' && !/["'`/@]/.test(text[at - 1] ?? ''))
          ? null
          : 'medium',
    },
    ...hosts.map(
      (host): DetectionPattern => ({
        ...proprietary,
        rule: 'internal_hostname',
        title: 'name of an internal machine',
        anchors: [anchorOf(host)],
        before: 260,
        after: 260,
        inBinary: true,
        pattern: new RegExp(`(?<![\\w-])${hostPattern(host)}(?![\\w-]|\\.\\w)`, 'i'),
      }),
    ),
    {
      ...proprietary,
      rule: 'customer_id',
      title: 'id of a customer',
      anchors: ['customer', 'account', 'organisation', 'organization', 'client', 'tenant'].flatMap((owner) =>
        ['id', '_id', '-id'].map((id) => `${owner}${id}`),
      ),
      pattern: buildLabelledValuePattern('(?:customer|account|organi[sz]ation|client|tenant)[_-]?id', UUID),
      rateCandidate: ({ value }) => (isRepetitiveFiller(value) ? null : 'medium'),
    },
    {
      ...proprietary,
      rule: 'prod_db_connection',
      title: 'address of a production database',
      severity: 'high',
      anchors: [
        'prod_',
        'prod-',
        'production_',
        'production-',
        'proddb',
        'productiondb',
        'proddatabase',
        'productiondatabase',
      ],
      pattern:
        /prod(?:uction)?(?:[_-](?:db|database|sql|postgres|mysql|mongo|redis)|db|database)[_-]?(?:host|server|endpoint|url|address)(?:["'\])]){0,3}[ \t]{0,8}(?:=>|:=|=|:)[ \t]{0,8}["'`](?<value>[^\s"'`]{4,200})["'`]/i,
      rateCandidate: ({ value }) =>
        isVariableReference(value) ||
        isPlaceholder(value) ||
        marked(value) ||
        /^(?:localhost|127\.0\.0\.1)\b/.test(value)
          ? null
          : 'high',
    },
  ];
}

/** The longest part of a host pattern that is the same in every name. */
const anchorOf = (host: string): string =>
  host
    .toLowerCase()
    .split('*')
    .reduce((longest, part) => (part.length > longest.length ? part : longest), '');

const hostPattern = (host: string): string =>
  host
    .split('.')
    .map((label) => (label === '*' ? '[a-z0-9-]{1,63}' : label))
    .join('\\.');
