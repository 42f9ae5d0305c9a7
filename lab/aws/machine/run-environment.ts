import { join } from 'node:path';

/** The account of the emulator, and the region that everything is deployed to. */
export const EMULATED_ACCOUNT = '123456789012';
export const EMULATED_REGION = 'us-east-1';
/** The identity that the emulator lets do everything, as the root user of an account may. */
export const ROOT_CREDENTIALS = {
  accessKeyId: 'AKIAIOSFODNN7ROOTKEY',
  secretAccessKey: 'the-root-key-of-the-emulator',
};

/** Where the forge is: the platform refuses private addresses. This one is of a network that nobody routes to, and lies on our own loopback. */
export const FORGE_ADDRESS = '192.175.48.10';
export const FORGE_HOST = 'forge.assay.example';

/** Hosts of AWS that something here calls; the SDKs, the CDK and the boxes use the real names, which lead to the emulator. */
const SERVICES = [
  'api.ecr',
  'apigateway',
  'athena',
  'bedrock',
  'bedrock-runtime',
  'cloudformation',
  'dynamodb',
  'ec2',
  'ecs',
  'events',
  'glue',
  'kms',
  'lambda',
  'logs',
  'monitoring',
  's3',
  'secretsmanager',
  'servicequotas',
  'sns',
  'sqs',
  'ssm',
  'states',
  'sts',
  'streams.dynamodb',
  'sync-states',
] as const;
const regional = (name: string): string => `${name}.${EMULATED_REGION}.amazonaws.com`;
export const BOOTSTRAP_BUCKET = `cdk-hnb659fds-assets-${EMULATED_ACCOUNT}-${EMULATED_REGION}`;

export const AWS_HOSTS: readonly string[] = [
  `${EMULATED_REGION}.amazonaws.com`,
  'iam.amazonaws.com',
  'sts.amazonaws.com',
  ...SERVICES.map(regional),
  regional(`${BOOTSTRAP_BUCKET}.s3`),
  regional(`${EMULATED_ACCOUNT}.dkr.ecr`),
  regional(`${EMULATED_ACCOUNT}.ddb`),
];

/** The emulator takes the name of these for a bucket's; asked by its address, it goes by what the request was signed for. */
export const ENDPOINT_OVERRIDES: Readonly<Record<string, string>> = {
  AWS_ENDPOINT_URL_ECR: 'https://127.0.0.1',
};

/** What the certificate is for: a wildcard covers one label. */
export const CERTIFICATE_NAMES: readonly string[] = [
  'DNS:localhost',
  'IP:127.0.0.1',
  `IP:${FORGE_ADDRESS}`,
  `DNS:${FORGE_HOST}`,
  'DNS:*.amazonaws.com',
  ...[
    EMULATED_REGION,
    `s3.${EMULATED_REGION}`,
    `execute-api.${EMULATED_REGION}`,
    `ecr.${EMULATED_REGION}`,
    `dkr.ecr.${EMULATED_REGION}`,
  ].map((zone) => `DNS:*.${zone}.amazonaws.com`),
  `DNS:streams.dynamodb.${EMULATED_REGION}.amazonaws.com`,
  `DNS:*.ddb.${EMULATED_REGION}.amazonaws.com`,
  `DNS:*.lambda-url.${EMULATED_REGION}.on.aws`,
  `DNS:*.lambda-url.${EMULATED_REGION}.amazonaws.com`,
];

/** Files of one run, below one folder. */
export const getRunFiles = (folder: string) => ({
  folder,
  ca: join(folder, 'ca.pem'),
  caBundle: join(folder, 'ca-certificates.pem'),
  certificate: join(folder, 'server.pem'),
  key: join(folder, 'server.key'),
  hosts: join(folder, 'hosts'),
  docker: join(folder, 'docker'),
  dockerSocket: join(folder, 'docker.sock'),
  boxes: join(folder, 'boxes'),
  /** Images that containers start from, and the folder that an engine's are exported to. */
  builtImages: join(folder, 'images.json'),
  images: join(folder, 'images'),
  /** Synthesised with the default settings before the run, to know its images. */
  defaultAssembly: join(folder, 'cdk.out.default'),
  emulator: join(folder, 'emulator'),
  emulatorLog: join(folder, 'emulator.log'),
  assembly: join(folder, 'cdk.out'),
  /** As it was synthesised; what is deployed lacks what the emulator lacks. */
  template: join(folder, 'Assay.template.json'),
  deployLog: join(folder, 'deploy.log'),
  /** What `assay doctor --aws` said of the empty account. */
  doctorBefore: join(folder, 'doctor-before.json'),
  forge: join(folder, 'forge'),
  home: join(folder, 'home'),
});
export type RunFiles = ReturnType<typeof getRunFiles>;

/** Where the run's files are, in the environment of the tests. */
export const RUN_FOLDER_VARIABLE = 'ASSAY_AWS_FOLDER';
export function getCurrentRunFiles(): RunFiles {
  const folder = process.env[RUN_FOLDER_VARIABLE];
  if (folder === undefined)
    throw new Error('run these tests by `npm run test:aws`: they need a machine of their own');
  return getRunFiles(folder);
}
