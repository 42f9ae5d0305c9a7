import type { DeploymentSettings } from './settings.ts';

/**
 * Regions without Lambda function URLs, as known on 2026-11-27:
 * https://docs.aws.amazon.com/lambda/latest/dg/urls-configuration.html; the Regions in China:
 * https://docs.amazonaws.cn/en_us/aws/latest/userguide/lambda.html.
 */
const WITHOUT_FUNCTION_URLS =
  /^(ap-south-2|ap-southeast-[4567]|ap-east-2|ca-west-1|eu-south-2|eu-central-2|il-central-1|me-central-1|cn-.*)$/;
/** Regions whose Bedrock has no Claude model, or only older ones that `model_prefix` names. */
const WITHOUT_CLAUDE = /^(cn-|us-gov-|us-iso)/;

/**
 * Returns one sentence for each service that a deployment uses and its Region does not offer.
 * @param region undefined: it is not known before the deployment, and nothing is said
 */
export function listMissingOfferings(
  region: string | undefined,
  settings: Pick<DeploymentSettings, 'modelEndpoint' | 'modelGateway' | 'models'>,
): string[] {
  if (region === undefined || settings.modelGateway !== undefined) return [];
  const missing: string[] = [];
  if (settings.modelEndpoint === 'function-url' && WITHOUT_FUNCTION_URLS.test(region))
    missing.push(
      `${region} has no function URLs, which the model gateway is reached by: deploy with -c assay:modelEndpoint=rest-api.`,
    );
  const onBedrock = Object.entries(settings.models)
    .filter(([, provider]) => provider?.via === 'bedrock' && (provider.region ?? region) === region)
    .map(([vendor]) => vendor);
  if (onBedrock.length > 0 && WITHOUT_CLAUDE.test(region))
    missing.push(
      `Amazon Bedrock in ${region} has no current models of ${onBedrock.join(', ')}: give assay:models a key, or model_prefix (docs/how-to/models.md).`,
    );
  return missing;
}
