export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

/** What the emulator's CloudFormation refuses, and nothing of the template refers to. */
export interface ResourceGap {
  readonly name: string;
  /** Whether that resource of the template is left out. */
  readonly matches: (resource: TemplateResource) => boolean;
  /** Refused alone, as long as the emulator lacks it; AWS makes it. */
  readonly example: TemplateResource;
}

export const RESOURCE_GAPS: readonly ResourceGap[] = [
  {
    name: 'flow logs',
    matches: ({ Type }) => Type === 'AWS::EC2::FlowLog',
    example: {
      Type: 'AWS::EC2::FlowLog',
      Properties: {
        ResourceId: 'vpc-1',
        ResourceType: 'VPC',
        TrafficType: 'ALL',
        LogDestinationType: 's3',
        LogDestination: 'arn:aws:s3:::flow-logs',
      },
    },
  },
  {
    name: 'named queries of Athena',
    matches: ({ Type }) => Type === 'AWS::Athena::NamedQuery',
    example: {
      Type: 'AWS::Athena::NamedQuery',
      Properties: { Database: 'default', QueryString: 'SELECT 1' },
    },
  },
  {
    // A cluster of the emulator has every capacity provider that a task asks for.
    name: 'capacity providers of a cluster',
    matches: ({ Type }) => Type === 'AWS::ECS::ClusterCapacityProviderAssociations',
    example: {
      Type: 'AWS::ECS::ClusterCapacityProviderAssociations',
      Properties: { Cluster: 'none', CapacityProviders: ['FARGATE'], DefaultCapacityProviderStrategy: [] },
    },
  },
  {
    name: 'alarms on metric math',
    matches: ({ Type, Properties }) =>
      Type === 'AWS::CloudWatch::Alarm' && Properties?.['Metrics'] !== undefined,
    example: {
      Type: 'AWS::CloudWatch::Alarm',
      Properties: {
        ComparisonOperator: 'GreaterThanThreshold',
        EvaluationPeriods: 1,
        Threshold: 0,
        Metrics: [
          { Id: 'both', Expression: 'one + one' },
          {
            Id: 'one',
            ReturnData: false,
            MetricStat: { Metric: { Namespace: 'Assay', MetricName: 'One' }, Period: 60, Stat: 'Sum' },
          },
        ],
      },
    },
  },
];
