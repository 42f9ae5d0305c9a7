import { Stack } from 'aws-cdk-lib';
import type { Construct } from 'constructs';

/**
 * Returns a name for a log group that an AWS service writes by itself. Below this prefix CloudWatch Logs needs no
 * resource policy for each group, and an account may have only ten of those, of 5,120 characters each:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/AWS-logs-and-resource-policy.html
 */
export const buildVendedLogGroupName = (scope: Construct, name: string): string =>
  `/aws/vendedlogs/${Stack.of(scope).stackName}/${name}`;
