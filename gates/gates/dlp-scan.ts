import * as z from 'zod';
import type { Gate } from '../core/gate.ts';
import type { DlpCategory } from '../rules/dlp-scan/dlp-category.ts';
import {
  IgnoredValuePrefixesSetting,
  ScanHostsSetting,
  ScanPathsSetting,
} from '../rules/scan/scan-settings.ts';

/** What a finding of a category does. */
const DlpAction = z.enum(['error', 'info', 'off'], { error: () => 'must be error, info or off' });
const DEFAULT_ACTIONS: Readonly<Record<DlpCategory, z.infer<typeof DlpAction>>> = {
  license: 'error',
  regulated: 'error',
  proprietary: 'info',
};

/** Rules of regulated data whose findings of medium severity are reported only. */
const MEDIUM_IS_INFO: ReadonlySet<string> = new Set(['us_ssn', 'credit_card_number']);

const settings = {
  dlp_scan: z.boolean().optional(),
  dlp_license: DlpAction.optional(),
  dlp_regulated: DlpAction.optional(),
  dlp_proprietary: DlpAction.optional(),
  /** Further names of internal machines; `*` stands for one label. */
  dlp_internal_hosts: ScanHostsSetting.optional(),
  dlp_scan_paths: ScanPathsSetting.optional(),
  dlp_ignore_paths: ScanPathsSetting.optional(),
  dlp_allowlist_prefixes: IgnoredValuePrefixesSetting.optional(),
};
const Settings = z.object(settings);

/** What must not leave its place: text under other licenses, regulated data of people, and what is internal to the house. */
export const dlpScanGate: Gate = {
  name: 'dlp_scan',
  configKey: 'dlp_scan',
  enabledByDefault: true,
  required: true,
  condition: 'any_changed',
  settings,
  run: async (context, given) => {
    const config = Settings.parse(given);
    const [{ runPatchScanGate }, { buildDlpDetectors }, { readProjectLicense }, { DLP_RULES }] =
      await Promise.all([
        import('../rules/scan-runs/run-scan.ts'),
        import('../rules/dlp-scan/dlp-detectors.ts'),
        import('../rules/dlp-scan/project-license.ts'),
        import('../rules/dlp-scan-rules.ts'),
      ]);
    const { store, base, changedPaths } = context.subject;
    const prefixes = config.dlp_allowlist_prefixes?.length ? config.dlp_allowlist_prefixes : undefined;
    const hosts = config.dlp_internal_hosts ?? [];
    const actions = {
      license: config.dlp_license ?? DEFAULT_ACTIONS.license,
      regulated: config.dlp_regulated ?? DEFAULT_ACTIONS.regulated,
      proprietary: config.dlp_proprietary ?? DEFAULT_ACTIONS.proprietary,
    };
    const own = await readProjectLicense(store, base, changedPaths);
    const { detectors, categoryOf } = buildDlpDetectors({
      projectLicense: own,
      allowedPrefixes: prefixes,
      internalHosts: hosts,
    });
    const on = detectors.filter(({ rule }) => actions[categoryOf(rule)] !== 'off');
    return runPatchScanGate(context, {
      detectors: on,
      rules: DLP_RULES,
      paths: config.dlp_scan_paths ?? [],
      ignorePaths: config.dlp_ignore_paths ?? [],
      // Of medium severity are a number that only looks like one of a person, in a test or a manual, a card number that is published
      // for tests, and the notice of a package.
      isError: ({ rule, severity }) =>
        actions[categoryOf(rule)] === 'error' &&
        !(severity === 'medium' && (MEDIUM_IS_INFO.has(rule) || categoryOf(rule) === 'license')),
    });
  },
};
