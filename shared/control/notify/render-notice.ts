import { truncateText } from '../../lib/truncate.ts';
import type { Notice } from './notice.ts';
import type { NoticeName } from './notify-settings.ts';

/** First words of a message. */
const HEADLINES: Readonly<Record<NoticeName, string>> = {
  'Task Held': 'Needs review',
  'Task Failed': 'Failed',
  'Task Unverified': 'Done, unverified',
  'Task Done': 'Done',
  'Task Cancelled': 'Cancelled',
  'Budget Spent': 'Budget spent',
  Alarm: 'Alarm',
};
/** Slack takes 3,000 characters of text in a block; Teams 28 KiB in a message. */
const MAX_TEXT = 2_500;
const MAX_TITLE = 200;

/** Returns the address of a task's page, or of the page. @param pageUrl without a slash at the end */
export const noticeUrl = (pageUrl: string, { task }: Notice): string =>
  task === null ? `${pageUrl}/` : `${pageUrl}/#/task/${encodeURIComponent(task.id)}`;

const buttonLabel = ({ name, task }: Notice): string => {
  if (task === null) return 'Open Assay';
  return name === 'Task Held' ? 'Review' : 'Open task';
};

const costOf = (usd: number | null): string => (usd === null ? 'unknown' : `$${usd.toFixed(2)}`);
const factsOf = ({ task }: Notice): readonly (readonly [string, string])[] =>
  task === null
    ? []
    : [
        ['Repository', task.repository],
        ['Role', task.role],
        ['Attempts', String(task.attempts)],
        ['Cost', costOf(task.cost_usd)],
      ];

/** Text in which Slack reads no link, mention or markup. */
const slackText = (text: string, characters: number): string =>
  truncateText(text.replace(/[\p{C}\s]+/gu, ' ').trim(), characters)
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
/**
 * Returns text as a block has it. Slack formats between pairs of some characters; a zero-width space before each ends that. Text that
 * is much longer when it is escaped is cut further, since Slack refuses a message with a longer block.
 */
function slackPlain(text: string, characters: number): string {
  const limit = Math.min(2 * characters, MAX_TEXT);
  for (let most = characters; ; most = Math.floor(most / 2)) {
    const plain = slackText(text, most).replace(/[*_~`]/g, '\u200b$&');
    if (plain.length <= limit) return plain;
  }
}
/** A field of a block; `verbatim`: Slack makes no links of addresses and names in it. */
const slackField = (text: string): Record<string, unknown> => ({ type: 'mrkdwn', text, verbatim: true });

/** Returns a message of Slack: the text of notifications, and blocks. */
export function renderSlackMessage(notice: Notice, pageUrl: string): Record<string, unknown> {
  const headline = HEADLINES[notice.name];
  const title = notice.task === null ? headline : `${headline}: ${notice.task.title}`;
  const facts = factsOf(notice).map(([label, value]) => slackField(`*${label}*\n${slackPlain(value, 300)}`));
  return {
    text: slackText(title, MAX_TITLE),
    blocks: [
      {
        type: 'section',
        text: slackField(`*${slackPlain(title, MAX_TITLE)}*\n${slackPlain(notice.summary, MAX_TEXT)}`),
        ...(facts.length > 0 && { fields: facts }),
      },
      {
        type: 'actions',
        elements: [
          {
            type: 'button',
            action_id: 'open',
            text: { type: 'plain_text', text: buttonLabel(notice) },
            url: noticeUrl(pageUrl, notice),
            ...(notice.name === 'Task Held' && { style: 'primary' }),
          },
        ],
      },
    ],
    unfurl_links: false,
    unfurl_media: false,
  };
}

/** Text in which a card of Teams reads no Markdown. */
const teamsText = (text: string, characters: number): string =>
  truncateText(text.replace(/[\p{C}\s]+/gu, ' ').trim(), characters).replace(/[\\`*_[\]()#+!|~<>-]/g, '\\$&');

/** Returns a message of an incoming webhook of Teams: one Adaptive Card. */
export function renderTeamsMessage(notice: Notice, pageUrl: string): Record<string, unknown> {
  const headline = HEADLINES[notice.name];
  const title = notice.task === null ? headline : `${headline}: ${notice.task.title}`;
  const facts = factsOf(notice).map(([label, value]) => ({ title: label, value: teamsText(value, 300) }));
  return {
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            {
              type: 'TextBlock',
              text: teamsText(title, MAX_TITLE),
              weight: 'Bolder',
              size: 'Medium',
              wrap: true,
            },
            { type: 'TextBlock', text: teamsText(notice.summary, MAX_TEXT), wrap: true },
            ...(facts.length > 0 ? [{ type: 'FactSet', facts }] : []),
          ],
          actions: [{ type: 'Action.OpenUrl', title: buttonLabel(notice), url: noticeUrl(pageUrl, notice) }],
        },
      },
    ],
  };
}

/** Returns the body of a webhook: type, time and data, as the Standard Webhooks specification advises. */
export const renderWebhookBody = (notice: Notice, pageUrl: string): Record<string, unknown> => ({
  type: notice.name.toLowerCase().replaceAll(' ', '.'),
  timestamp: notice.at,
  data: { ...notice.detail, url: noticeUrl(pageUrl, notice) },
});
