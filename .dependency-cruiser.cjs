/** The dependency direction: `shared` imports nobody; the rooms import what stands below them; nothing is circular. */
const ROOMS = '(infra|local|functions|containers|shared|gates|cli|page|test|docs)';
const only = (room, allowed) => ({
  name: `${room}-imports-only-${allowed.join('-and-') || 'itself'}`,
  severity: 'error',
  from: { path: `^${room}/` },
  to: { path: `^${ROOMS}/`, pathNot: `^(${[room, ...allowed].join('|')})/` },
});
/** Control plane: what only handlers, the template and clients of the API may know. */
const CONTROL = '^shared/(api|cascade|ledger|store|task/commands|use-cases|verdict)/';

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    // aws-lambda is a package of types only.
    {
      name: 'resolvable',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^aws-lambda$' },
    },
    only('shared', []),
    only('page', ['shared']),
    only('gates', ['shared']),
    {
      name: 'functions-import-only-shared',
      comment: 'What delivers calls git as the boxes do, and shares with them how.',
      severity: 'error',
      from: { path: '^functions/', pathNot: '^functions/deliver/' },
      to: { path: `^${ROOMS}/`, pathNot: '^(functions|shared)/' },
    },
    only('containers', ['shared', 'gates']),
    only('cli', ['shared', 'gates', 'local']),
    only('local', ['shared']),
    {
      name: 'infra-imports-only-shared',
      comment: 'Of the gates it knows which grammars their bundle needs beside it.',
      severity: 'error',
      from: { path: '^infra/' },
      to: { path: `^${ROOMS}/`, pathNot: '^(infra|shared)/|^gates/code/grammar-files\\.ts$' },
    },
    {
      name: 'gates-import-the-contract-only',
      comment: 'Gates run on a checkout; no control plane is there.',
      severity: 'error',
      from: { path: '^gates/' },
      to: { path: CONTROL },
    },
    {
      name: 'local-knows-names-and-tokens',
      comment: 'The embedded cloud runs the template; what Assay is stands in there.',
      severity: 'error',
      from: { path: '^local/' },
      to: { path: '^shared/', pathNot: '^shared/(names|tokens)\\.ts$' },
    },
    {
      name: 'local-holds-no-cdk',
      severity: 'error',
      from: { path: '^local/' },
      to: { path: 'node_modules/(aws-cdk-lib|constructs|cdk-nag)/' },
    },
    {
      name: 'task-knows-no-api',
      comment:
        'The domain refuses (shared/contract/refusal.ts); how a refusal looks over HTTP is the business of the API.',
      severity: 'error',
      from: { path: '^shared/(task|evidence|messages|cascade|verdict)/' },
      to: { path: '^shared/api/' },
    },
    {
      name: 'aws-sdk-only-in-shared-store',
      comment: 'The domain knows no AWS SDK; its one edge to AWS is shared/store/.',
      severity: 'error',
      from: { path: '^(shared|gates)/', pathNot: '^shared/store/' },
      to: { path: 'node_modules/@aws-sdk/' },
    },
    {
      name: 'ai-sdk-only-in-shared-providers',
      comment: 'One edge to the protocols of models; functions that ask none must not grow by them.',
      severity: 'error',
      from: { pathNot: '^(shared/providers|test)/' },
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
        path: '^(gates|containers|infra|local|cli|page|test|docs)/',
        pathNot: '^(gates/(checkout|process)|containers/supervisor)/',
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
      comment: 'The boxes speak HTTPS to the API and to presigned URLs only; they hold no AWS permission.',
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
