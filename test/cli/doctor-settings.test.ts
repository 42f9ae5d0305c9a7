import { App } from 'aws-cdk-lib';
import { describe, expect, it } from 'vitest';
import { checkStackSettings, DOCTOR_CHECK_BY_STACK_SETTING } from '../../cli/doctor/check-settings.ts';
import { DeploymentSettings, listNonDefaultSettings, readSettings } from '../../infra/settings.ts';

const deployed = (outputs: Record<string, string>) =>
  checkStackSettings({ status: 'UPDATE_COMPLETE', outputs, resources: new Map() });

describe('what the doctor knows of settings', () => {
  it('is all of those that a deployment may have, and no other', () => {
    expect(new Set(Object.keys(DOCTOR_CHECK_BY_STACK_SETTING))).toEqual(
      new Set(Object.keys(DeploymentSettings.shape)),
    );
  });

  it('is what the stack says it was given', () => {
    const given = readSettings(
      new App({ context: { 'assay:vcpus': '32', 'assay:leaseSeconds': '120' } }).node,
    );
    expect(listNonDefaultSettings(given)).toEqual(['vcpus']);
    expect(deployed({ Settings: 'vcpus leaseSeconds' })).toMatchObject({
      outcome: 'ok',
      detail: 'vcpus (fargate_vcpus), leaseSeconds',
    });
    expect(deployed({ Settings: 'none' })).toMatchObject({ outcome: 'ok', detail: 'all have their default' });
  });

  it('is never good where it is not known', () => {
    expect(deployed({})).toMatchObject({ outcome: 'attention' });
    expect(deployed({ Settings: 'vcpus somethingNew' })).toMatchObject({
      outcome: 'attention',
      detail: 'settings that this version does not know: somethingNew',
    });
  });
});
