/** The dependency direction: `shared` imports nobody; the rooms import `shared`; nothing is circular. */
const only = (room, allowed) => ({
  name: `${room}-imports-only-${allowed.join('-and-') || 'itself'}`,
  severity: 'error',
  from: { path: `^${room}/` },
  to: {
    path: '^(infra|functions|containers|shared|cli|test|docs)/',
    pathNot: `^(${[room, ...allowed].join('|')})/`,
  },
});

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
    only('functions', ['shared']),
    only('containers', ['shared']),
    only('cli', ['shared']),
    only('infra', ['shared']),
    {
      name: 'aws-sdk-only-in-shared-store',
      comment: 'The domain knows no AWS SDK; its one edge to AWS is shared/store/.',
      severity: 'error',
      from: { path: '^shared/', pathNot: '^shared/store/' },
      to: { path: 'node_modules/@aws-sdk/' },
    },
    {
      name: 'infra-takes-no-store',
      comment: 'infra imports names and schemas, never code that runs in a handler.',
      severity: 'error',
      from: { path: '^infra/', pathNot: '^infra/local/' },
      to: { path: '^shared/store/' },
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
      extensions: ['.ts', '.js', '.cjs', '.mjs', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
