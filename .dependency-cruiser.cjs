/** The layers: rooms import only rooms below them, and inside `shared/` and `gates/` a floor imports only floors below it. */
const ROOMS = '(infra|local|functions|containers|shared|workspace|gates|cli|page|test|lab|docs)';
const only = (room, allowed) => ({
  name: `${room}-imports-only-${allowed.join('-and-') || 'itself'}`,
  severity: 'error',
  from: { path: `^${room}/` },
  to: { path: `^${ROOMS}/`, pathNot: `^(${[room, ...allowed].join('|')})/` },
});
/** Floors of a room, lowest first. What a floor reaches, directly or through others, lies on it or below it. */
const FLOORS = {
  shared: ['lib', 'contract', 'reviews', 'control', 'store', 'api', 'use-cases'],
  gates: [
    'core',
    'reports',
    'code',
    'languages',
    'rules',
    'tests',
    'environment',
    'screenshots',
    'signals',
    'gates',
    'pipeline',
  ],
};
const floors = Object.entries(FLOORS).flatMap(([room, names]) =>
  names.slice(0, -1).map((name, index) => ({
    name: `${room}-${name}-reaches-no-higher-floor`,
    severity: 'error',
    from: { path: `^${room}/${name}/` },
    to: { path: `^${room}/(${names.slice(index + 1).join('|')})/`, reachable: true },
  })),
);
const onAFloor = Object.entries(FLOORS).map(([room, names]) => ({
  name: `${room}-files-lie-on-a-floor`,
  severity: 'error',
  from: { path: `^${ROOMS}/` },
  to: { path: `^${room}/`, pathNot: `^${room}/(${names.join('|')})/` },
}));
/** Control plane: what only handlers, the template and clients of the API may know. */
const CONTROL_PLANE =
  '^shared/(api|store|use-cases)/|^shared/control/(cascade|ledger|task-commands|verdict)/';

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'no-folder-cycle',
      comment:
        'Folders of `shared/`, `workspace/` and `gates/` import each other in one direction, types included.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(shared|workspace|gates)/' },
      to: { circular: true },
    },
    ...floors,
    ...onAFloor,
    // aws-lambda is a package of types only.
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^aws-lambda$' },
    },
    only('shared', []),
    only('page', ['shared']),
    only('workspace', ['shared']),
    only('gates', ['shared', 'workspace']),
    {
      name: 'functions-import-only-shared',
      comment: 'The function that delivers calls git as the containers do.',
      severity: 'error',
      from: { path: '^functions/', pathNot: '^functions/deliver/' },
      to: { path: `^${ROOMS}/`, pathNot: '^(functions|shared)/' },
    },
    only('containers', ['shared', 'workspace', 'gates']),
    only('cli', ['shared', 'workspace', 'gates', 'local']),
    only('local', ['shared']),
    {
      name: 'infra-imports-only-shared',
      comment: 'Of the gates it knows which grammars their bundle needs beside it.',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: `^${ROOMS}/`, pathNot: '^(infra|shared)/|^gates/code/parsing/grammar-files\\.ts$' },
    },
    {
      name: 'gates-import-the-contract-only',
      comment: 'Gates run on a checkout; no control plane is there.',
      severity: 'error',
      from: { path: '^gates/' },
      to: { path: CONTROL_PLANE },
    },
    {
      name: 'local-knows-names-and-tokens',
      comment: 'The embedded cloud runs the template; what Assay is stands in there.',
      severity: 'error',
      from: { path: '^local/' },
      to: {
        path: '^shared/',
        pathNot:
          '^shared/(contract/(resource-names|access/tokens|agents/adapter-manifests)|lib/(sha256|map-concurrently|loopback-listener))\\.ts$',
      },
    },
    {
      name: 'local-holds-no-cdk',
      severity: 'error',
      from: { path: '^local/' },
      to: { path: 'node_modules/(aws-cdk-lib|constructs|cdk-nag)/' },
    },
    {
      name: 'aws-sdk-only-in-shared-store',
      comment: 'The domain knows no AWS SDK; its one edge to AWS is shared/store/.',
      severity: 'error',
      from: { path: '^(shared|workspace|gates)/', pathNot: '^shared/store/' },
      to: { path: 'node_modules/@aws-sdk/' },
    },
    {
      name: 'ai-sdk-only-in-shared-providers',
      comment: 'One edge to the protocols of models; functions that ask none must not grow by them.',
      severity: 'error',
      from: { pathNot: '^(shared/reviews/model-clients|test|lab)/' },
      to: { path: 'node_modules/(ai|@ai-sdk|@openrouter)/' },
    },
    {
      name: 'infra-takes-no-store',
      comment: 'infra imports names and schemas, never code that runs in a handler.',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: '^shared/store/' },
    },
    {
      name: 'deliver-reaches-no-gates',
      comment:
        'The function with the push credential moves objects; nothing that judges or runs code is in it, however far away.',
      severity: 'error',
      from: { path: '^functions/deliver/' },
      to: {
        path: '^(gates|containers|infra|local|cli|page|test|lab|docs)/',
        reachable: true,
      },
    },
    {
      name: 'page-holds-types-and-pure-functions',
      comment:
        'What a browser loads: of schemas it may know the types alone, so that no validator is bundled.',
      severity: 'error',
      from: { path: '^page/' },
      to: { path: '(node_modules/(zod|@aws-sdk)/|^shared/store/)', reachable: true },
    },
    {
      name: 'containers-hold-no-aws',
      comment:
        'The containers speak HTTPS to the API and to presigned URLs only; they hold no AWS permission.',
      severity: 'error',
      from: { path: '^containers/' },
      to: { path: '(node_modules/@aws-sdk/|^shared/store/)' },
    },
  ],
  options: {
    // TypeScript 7 has no API that this tool could parse with; swc reads the same syntax.
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(node_modules|cdk\\.out|\\.build)' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.tsx', '.js', '.cjs', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
