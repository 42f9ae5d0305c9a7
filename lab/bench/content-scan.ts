import { classifyFile } from '../../gates/rules/scan/file-classification.ts';
import { FileScanner } from '../../gates/rules/scan/file-scanner.ts';
import { ContentScanner } from '../../gates/rules/scan/scanner.ts';
import { getAllSecretsScanner } from '../../gates/rules/scan-runs/all-secrets-scanner.ts';
import { LABELLED_TEXTS } from './data/labelled-texts.ts';
import { generateMixedSource, type SourceFile } from './data/mixed-source.ts';
import { ALL_DETECTORS, dlpScanner, measureScanQuality, piiScanner } from './data/scan-quality.ts';
import { buildWorstCaseLine, buildWorstCaseTexts } from './data/worst-case-text.ts';

/** How fast and how well the scans look. One MB has 1,000,000 bytes. */
export interface ScanBenchResult {
  readonly bytes: number;
  readonly files: number;
  readonly pii_mb_per_s: number;
  readonly dlp_mb_per_s: number;
  /** One after the other. */
  readonly both_mb_per_s: number;
  /** Secrets that were put into the source, and the share of them that was found. */
  readonly planted: number;
  readonly planted_found: number;
  /** Findings that fail in lines where nothing was put. */
  readonly planted_false: number;
  /** The slowest rule on a line of 1 MB that is made to be slow for it, and how long that takes. */
  readonly hostile: { readonly rules: number; readonly slowest: string; readonly ms_per_mb: number };
  readonly labelled: {
    readonly positives: number;
    readonly recall: number;
    readonly negatives: number;
    readonly false_positive_rate: number;
  };
}

const BYTES = 50_000_000;
const HOSTILE_BYTES = 1_000_000;

const seconds = (run: () => void): number => {
  const started = performance.now();
  run();
  return (performance.now() - started) / 1_000;
};

function failing(scanner: typeof piiScanner, files: readonly SourceFile[]): Set<string> {
  const places = new Set<string>();
  for (const { path, content } of files) {
    const scan = new FileScanner(scanner, getAllSecretsScanner(), path);
    scan.add(content);
    for (const { line, severity } of scan.end().matches)
      if (severity !== 'medium') places.add(`${path}:${line}`);
  }
  return places;
}

function slowest(bytes: number): ScanBenchResult['hostile'] {
  let worst = { slowest: '', ms_per_mb: 0 };
  for (const detector of ALL_DETECTORS) {
    const scanner = new ContentScanner([detector]);
    for (const unit of buildWorstCaseTexts(detector)) {
      const text = buildWorstCaseLine(unit, bytes);
      const ms = Math.round((seconds(() => scanner.scan(text, classifyFile('a.conf'))) * 1e9) / bytes);
      if (ms > worst.ms_per_mb) worst = { slowest: detector.rule, ms_per_mb: ms };
    }
  }
  return { rules: ALL_DETECTORS.length, ...worst };
}

/** Measures both scans on generated source, and on the labelled set. Takes a few seconds. */
export async function benchScan(bytes = BYTES, hostileBytes = HOSTILE_BYTES): Promise<ScanBenchResult> {
  const source = generateMixedSource(bytes);
  // Code that has not run yet is slow the first time, and each file of a patch is not the first one.
  failing(piiScanner, source.files.slice(0, 50));
  failing(dlpScanner, source.files.slice(0, 50));
  let found = new Set<string>();
  const piiSeconds = seconds(() => {
    found = failing(piiScanner, source.files);
  });
  const dlpSeconds = seconds(() => failing(dlpScanner, source.files));
  const planted = new Set(source.plantedSecrets);
  const { positives, recall, negatives, false_positive_rate } = measureScanQuality(LABELLED_TEXTS);
  const rate = (time: number): number => Math.round(source.bytes / 1e5 / time) / 10;
  return {
    bytes: source.bytes,
    files: source.files.length,
    pii_mb_per_s: rate(piiSeconds),
    dlp_mb_per_s: rate(dlpSeconds),
    both_mb_per_s: rate(piiSeconds + dlpSeconds),
    planted: planted.size,
    planted_found: [...planted].filter((place) => found.has(place)).length / planted.size,
    planted_false: [...found].filter((place) => !planted.has(place)).length,
    hostile: slowest(hostileBytes),
    labelled: { positives, recall, negatives, false_positive_rate },
  };
}

if (import.meta.main) process.stdout.write(`${JSON.stringify(await benchScan(), null, 2)}\n`);
