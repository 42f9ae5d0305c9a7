import type { ScanBenchResult } from './content-scan.ts';
import type { GatePipelineResult } from './gate-pipeline.ts';
import { formatMs, formatPercent, type ResultSection } from './result-page.ts';

/** Largest share of a first run that a second one on an unchanged tree is to cost. */
export const MAX_CACHED_SHARE = 0.05;

const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

export const renderPipelineSections = (figures: GatePipelineResult): ResultSection[] => [
  [
    `assay check on ${figures.lines.toLocaleString('en')} lines in ${figures.files} files (${megabytes(figures.bytes)}), ${figures.changed_files} of them changed; medians of ${figures.repeats}`,
    [
      ['pipeline', 'cold', 'cached', 'share', 'aim: under 5 %', 'remembered'],
      ...figures.runs.map((run) => [
        run.name,
        formatMs(run.cold_ms),
        formatMs(run.cached_ms),
        formatPercent(run.share),
        run.share < MAX_CACHED_SHARE ? 'met' : 'missed',
        `${run.remembered} of ${run.rememberable} gates`,
      ]),
    ],
  ],
  [
    'Inside of one process, without its start',
    [
      ['suite', 'first', 'second', 'share', 'aim: under 5 %'],
      [
        'tests in 60 files',
        formatMs(figures.inside.first_ms),
        formatMs(figures.inside.second_ms),
        formatPercent(figures.inside.share),
        figures.inside.share < MAX_CACHED_SHARE ? 'met' : 'missed',
      ],
    ],
  ],
  [
    'Each gate of the longest pipeline, run side by side',
    [
      ['gate', 'outcome', 'time'],
      ...(figures.runs.at(-1)?.gates ?? []).map((gate) => [gate.name, gate.outcome, formatMs(gate.ms)]),
    ],
  ],
  [
    'Baseline: the gate `tests` on 60 test files',
    [
      ['patch', 'time', 'of a green one'],
      ...(
        [
          ['breaks nothing: the base is not asked', figures.baseline.green_ms],
          ['breaks a test, and nothing is known of the base', figures.baseline.first_ms],
          ['breaks another one, and the base is known', figures.baseline.known_ms],
        ] as const
      ).map(([name, time]) => [name, formatMs(time), `${(time / figures.baseline.green_ms).toFixed(2)} x`]),
    ],
  ],
];

export const renderScanSections = (figures: ScanBenchResult): ResultSection[] => [
  [
    `Scans of ${megabytes(figures.bytes)} of mixed source in ${figures.files} files`,
    [
      ['scan', 'MB/s'],
      ['pii_scan', String(figures.pii_mb_per_s)],
      ['dlp_scan', String(figures.dlp_mb_per_s)],
      ['both, one after the other', String(figures.both_mb_per_s)],
    ],
  ],
  [
    'What the scans find',
    [
      ['set', 'to be found', 'found', 'to be left alone', 'reported all the same'],
      [
        'labelled set',
        String(figures.labelled.positives),
        formatPercent(figures.labelled.recall),
        String(figures.labelled.negatives),
        formatPercent(figures.labelled.false_positive_rate),
      ],
      [
        'planted in the mixed source',
        String(figures.planted),
        formatPercent(figures.planted_found),
        'all other lines',
        `${figures.planted_false} lines`,
      ],
    ],
  ],
  [
    'Hostile input: each rule on a line of 1 MB that is made to be slow for it',
    [
      ['rules', 'slowest', 'time'],
      [String(figures.hostile.rules), figures.hostile.slowest, formatMs(figures.hostile.ms_per_mb)],
    ],
  ],
];
