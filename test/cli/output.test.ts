import fc from 'fast-check';
import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { chooseTerminalColors } from '../../cli/io.ts';
import { createLiveLineRenderer } from '../../cli/output/live-lines.ts';
import { renderTable } from '../../cli/output/table.ts';
import { displayWidth, sanitizeText, toOneLine, truncateToWidth } from '../../cli/output/text.ts';
import { renderVerificationNudge } from '../../cli/output/verification-nudge.ts';
import {
  formatAge,
  formatCount,
  formatDollars,
  formatDuration,
  formatPercent,
} from '../../shared/lib/format.ts';
import { aStatus } from './support.ts';

const plain = pc.createColors(false);
const color = pc.createColors(true);

describe('text from outside', () => {
  test('never keeps a control character, whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(toOneLine(text)).not.toMatch(/[\p{Cc}]/u);
        expect(sanitizeText(text).replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}]/u);
      }),
    );
  });

  test('is cut to no more than the width asked for', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.nat(40), (text, width) => {
        expect(displayWidth(truncateToWidth(toOneLine(text), width))).toBeLessThanOrEqual(width);
      }),
    );
  });

  test.each([
    ['plain', 5],
    ['日本', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍🚒', 2],
    ['', 0],
  ])('%s takes %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });
});

describe('a table', () => {
  const columns = [{ title: 'ID' }, { title: 'N', align: 'right' as const }, { title: 'TITLE', shrinkTo: 8 }];
  const rows = [
    ['a', '1', 'a long title that needs room'],
    ['bb', '20', 'short'],
  ];

  test('has aligned columns and no trailing blanks', () => {
    expect(renderTable(columns, rows, undefined)).toBe(
      ['ID   N  TITLE', 'a    1  a long title that needs room', 'bb  20  short'].join('\n'),
    );
  });

  test('cuts what may be cut on a narrow terminal', () => {
    expect(renderTable(columns, rows, 20)).toBe(
      ['ID   N  TITLE', 'a    1  a long titl…', 'bb  20  short'].join('\n'),
    );
  });

  test('leaves optional columns out, the last one first, when that is too wide', () => {
    const optional = columns.map((column) => ({ ...column, optional: column.title !== 'ID' }));
    expect(renderTable(optional, rows, 14)).toBe(['ID   N', 'a    1', 'bb  20'].join('\n'));
    expect(renderTable(optional, rows, 5)).toBe(['ID', 'a', 'bb'].join('\n'));
  });

  test('becomes blocks when even that is too wide', () => {
    expect(renderTable(columns, rows, 14)).toBe(
      ['ID:    a', 'N:     1', 'TITLE: a long…', '', 'ID:    bb', 'N:     20', 'TITLE: short'].join('\n'),
    );
  });

  test('is never wider than the terminal, down to 16 columns', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.string({ maxLength: 6 }), fc.string(), fc.string({ unit: 'grapheme' })), {
          minLength: 1,
        }),
        fc.integer({ min: 16, max: 120 }),
        (cells, width) => {
          for (const line of renderTable(columns, cells, width).split('\n'))
            expect(displayWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  test('keeps padding out of the style', () => {
    const table = renderTable(
      [{ title: 'AAAA' }, { title: 'B' }],
      [[{ text: 'x', style: (text) => `<${text}>` }, 'y']],
      80,
    );
    expect(table.split('\n')[1]).toBe('<x>     y');
  });
});

describe('figures', () => {
  test.each<[number | null, string]>([
    [null, 'unknown'],
    [0, '$0.00'],
    [0.0123, '$0.0123'],
    [1.5, '$1.50'],
    [-0.0002, '-$0.0002'],
  ])('%s dollars read %s', (amount, text) => {
    expect(formatDollars(amount)).toBe(text);
  });

  test.each([
    [0.999, '99%'],
    [0.29, '29%'],
    [1, '100%'],
    [1 / 3, '33%'],
    [0, '0%'],
  ])('the share %d reads %s: cut off, never rounded up', (ratio, text) => {
    expect(formatPercent(ratio)).toBe(text);
  });

  test.each([
    [0, '0 ms'],
    [999, '999 ms'],
    [4_240, '4.2 s'],
    [59_990, '1 m 00 s'],
    [185_000, '3 m 05 s'],
    [7_800_000, '2 h 10 m'],
    [442_800_000, '5 d 3 h'],
  ])('%i milliseconds read %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });

  test('a time ahead of this clock is no negative age', () => {
    expect(formatAge('2026-11-20T10:00:00.000Z', Date.parse('2026-11-20T09:59:00.000Z'))).toBe('0 ms');
  });

  test('one is singular', () => {
    expect([formatCount(1, 'task'), formatCount(0, 'task')]).toEqual(['1 task', '0 tasks']);
  });
});

describe('the word on verification', () => {
  const nudge = (more: object) => aStatus(more).verification_nudge;

  test('is a bold red alert above the threshold', () => {
    const line = renderVerificationNudge(
      nudge({ total_completions: 3, unverified_count: 2, unverified_ratio: 0.667, threshold_exceeded: true }),
      color,
    );
    expect(line).toBe(
      `${color.bold(color.red('Verification ALERT'))}: 2/3 tasks completed without verification (66%)`,
    );
  });

  test('is a bold yellow notice when any is unverified', () => {
    const line = renderVerificationNudge(
      nudge({ total_completions: 4, unverified_count: 1, unverified_ratio: 0.25 }),
      color,
    );
    expect(line).toBe(
      `${color.bold(color.yellow('Verification Notice'))}: 1/4 tasks completed without verification (25%)`,
    );
  });

  test('is silence when all is verified, or nothing has completed', () => {
    expect(
      renderVerificationNudge(nudge({ total_completions: 4, verified_count: 4, unverified_ratio: 0 }), plain),
    ).toBeNull();
    expect(renderVerificationNudge(nudge({}), plain)).toBeNull();
  });
});

describe('colours', () => {
  test.each<[string, boolean, Record<string, string>, boolean, boolean]>([
    ['a terminal', true, {}, true, true],
    ['a pipe', false, {}, true, false],
    ['NO_COLOR on a terminal', true, { NO_COLOR: '1' }, true, false],
    ['an empty NO_COLOR, which means nothing', true, { NO_COLOR: '' }, true, true],
    ['--no-color', true, {}, false, false],
    ['a dumb terminal', true, { TERM: 'dumb' }, true, false],
    ['FORCE_COLOR on a pipe', false, { FORCE_COLOR: '1' }, true, true],
    ['FORCE_COLOR=0 on a terminal', true, { FORCE_COLOR: '0' }, true, false],
    ['NO_COLOR against FORCE_COLOR', true, { NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
  ])('%s', (_, isTTY, env, wanted, expected) => {
    expect(chooseTerminalColors({ isTTY }, env, wanted).isColorSupported).toBe(expected);
  });
});

describe('live lines', () => {
  const capture = (isTTY: boolean, columns?: number, rows = 40) => {
    const written: string[] = [];
    const output = { isTTY, columns, rows, write: (text: string) => written.push(text) };
    const lines = createLiveLineRenderer(output, 2, (_, text) => text);
    return { written, lines };
  };
  const line = (key: string, plainText: string, live = plainText) => ({ key, plain: plainText, live });

  test('change in place on a terminal', () => {
    const { written, lines } = capture(true, 80);
    lines.update([line('a', 'open'), line('b', 'open')]);
    lines.update([line('a', 'done'), line('b', 'open')]);
    expect(written).toEqual([
      '\r\u001b[2Kopen\n\u001b[2Kopen\n',
      '\u001b[2A\r\u001b[2Kdone\n\u001b[2Kopen\n',
    ]);
  });

  test('are cut before the edge of the terminal, because a wrapped line would break the redraw', () => {
    const { written, lines } = capture(true, 10);
    lines.update([line('a', 'a very long line')]);
    expect(written).toEqual(['\r\u001b[2Ka very l…\n']);
  });

  test('that do not all fit on the screen are printed one after the other', () => {
    const { written, lines } = capture(true, 80, 2);
    lines.update([line('a', 'open'), line('b', 'open')]);
    lines.update([line('a', 'done'), line('b', 'open')]);
    expect(written).toEqual(['open\n', 'open\n', 'done\n']);
  });

  test('elsewhere are printed once for each change, and not for the passing of time', () => {
    const { written, lines } = capture(false);
    lines.update([line('a', 'open', 'open 1 s')]);
    lines.update([line('a', 'open', 'open 2 s')]);
    lines.update([line('a', 'done', 'done 2 s')]);
    expect(written).toEqual(['open\n', 'done\n']);
  });
});
