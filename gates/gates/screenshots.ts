import type { Gate } from '../core/gate.ts';
import { BROWSER_EXECUTABLE_NAMES } from '../screenshots/browser-job.ts';
import { ScreenshotsSetting } from '../screenshots/screenshots-setting.ts';

/** Pictures of the application, taken by a browser; what they show is for others to judge. */
export const screenshotsGate: Gate = {
  name: 'screenshots',
  configKey: 'screenshots.enabled',
  enabledByDefault: false,
  required: false,
  condition: 'code_changed',
  timeoutS: 180,
  timeoutKey: 'screenshots.timeout_s',
  settings: { screenshots: ScreenshotsSetting.optional() },
  plan: async (_project, settings) => {
    const { command, folder } = ScreenshotsSetting.prefault({}).parse(settings['screenshots']);
    if (command === undefined && folder === undefined) return [];
    const [first, ...instead] = BROWSER_EXECUTABLE_NAMES;
    return [{ command: first, alternatives: instead }, ...(command === undefined ? [] : [{ command }])];
  },
  run: async (context, settings) => {
    const { runScreenshotsGate } = await import('../screenshots/take-screenshots.ts');
    return runScreenshotsGate(context, ScreenshotsSetting.prefault({}).parse(settings['screenshots']));
  },
};
