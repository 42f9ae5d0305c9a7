import { Aws, CfnCondition, Fn, Token, Validations } from 'aws-cdk-lib';
import type { CfnSubnet, ISubnet } from 'aws-cdk-lib/aws-ec2';
import type { Construct } from 'constructs';

/**
 * Regions in which not every availability zone has Fargate, with two zones that have it, by id: the letters of zones
 * differ between accounts. As known on 2026-11-27:
 * https://docs.aws.amazon.com/AmazonECS/latest/developerguide/AWS_Fargate-Regions.html
 */
export const FARGATE_ZONE_IDS: Readonly<Record<string, readonly [string, string]>> = {
  'us-west-1': ['usw1-az1', 'usw1-az3'],
  'ap-northeast-1': ['apne1-az1', 'apne1-az4'],
  'cn-north-1': ['cnn1-az1', 'cnn1-az2'],
};

/** Puts the subnets of each list into zones with Fargate, in every Region that the template is deployed to. */
export function useFargateZones(
  scope: Construct,
  region: string,
  subnetLists: readonly (readonly ISubnet[])[],
): void {
  const regions = Token.isUnresolved(region)
    ? Object.keys(FARGATE_ZONE_IDS)
    : Object.keys(FARGATE_ZONE_IDS).filter((each) => each === region);
  const conditions = regions.map((each) => ({
    zones: FARGATE_ZONE_IDS[each] ?? [],
    condition: new CfnCondition(scope, `Is-${each}`, { expression: Fn.conditionEquals(Aws.REGION, each) }),
  }));
  if (conditions.length === 0) return;
  const choose = (index: number, otherwise: string, zoneOf: (zone: string) => string): string =>
    conditions.reduce(
      (rest, { zones, condition }) =>
        Fn.conditionIf(condition.logicalId, zoneOf(zones[index] ?? ''), rest).toString(),
      otherwise,
    );
  for (const subnets of subnetLists)
    for (const [index, subnet] of subnets.entries()) {
      const resource = subnet.node.findChild('Subnet') as CfnSubnet;
      resource.availabilityZone = choose(index, subnet.availabilityZone, () => Aws.NO_VALUE);
      resource.availabilityZoneId = choose(index, Aws.NO_VALUE, (zone) => zone);
      Validations.of(resource).acknowledge({
        id: 'CloudFormation-Validate::F3020',
        reason: 'Exactly one of zone and zone id has a value, by the Region.',
      });
    }
}
