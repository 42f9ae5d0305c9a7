import type { Gate } from '../core/gate.ts';
import { BROWSERS } from '../screenshots/browser.ts';
import { Screenshots } from '../screenshots/settings.ts';

/** Pictures of the application, taken by a browser; what they show is for others to judge. */
export const screenshots: Gate = {
  name: 'screenshots',
  flag: 'screenshots.enabled',
  on: false,
  required: false,
  condition: 'code_changed',
  timeoutS: 180,
  timeoutKey: 'screenshots.timeout_s',
  settings: { screenshots: Screenshots.optional() },
  plan: async (_project, settings) => {
    const { command, folder } = Screenshots.prefault({}).parse(settings['screenshots']);
    if (command === undefined && folder === undefined) return [];
    const [first, ...instead] = BROWSERS;
    return [{ command: first, instead }, ...(command === undefined ? [] : [{ command }])];
  },
  run: async (context, settings) => {
    const { takeScreenshots } = await import('../screenshots/run.ts');
    return takeScreenshots(context, Screenshots.prefault({}).parse(settings['screenshots']));
  },
};
