import type { Plugin } from 'esbuild';

/** How a program of a box has one of Node's modules: a part is looked up when it is used, and the module is read with the first. */
function lazily(path: string): string {
  const read = `process.getBuiltinModule(${JSON.stringify(path)})`;
  const module: unknown = process.getBuiltinModule(path);
  // What is itself a function or a class is used as such.
  if (typeof module !== 'object' || module === null) return `module.exports = ${read}`;
  const names = JSON.stringify(Object.keys(module).filter((name) => name !== 'default'));
  return `let read; for (const name of ${names})
    Object.defineProperty(exports, name, { enumerable: true, get: () => (read ??= ${read})[name] });`;
}

/**
 * What `import … from 'node:http'` names in an ES module is read when it is linked, and with it every lazy part of the builtin, undici among
 * them. So it is taken as an object, whose module is read where it is used: most boxes never come to some of them.
 */
const BUILTINS: Plugin = {
  name: 'builtins',
  setup(build) {
    build.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'builtin' }));
    build.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({ contents: lazily(path) }));
  },
};

/** Zod has its messages in some fifty languages, and whoever keeps the whole of it keeps them all. Ours are in its own. */
const ONE_LANGUAGE: Plugin = {
  name: 'one-language',
  setup(build) {
    build.onResolve({ filter: /\/locales\/index\.js$/ }, ({ importer, resolveDir, kind }) =>
      /[\\/]node_modules[\\/]zod[\\/]/.test(importer)
        ? build.resolve('../locales/en.js', { importer, resolveDir, kind })
        : undefined,
    );
  },
};

/** A good part of a box that does little is the start of its program: what makes that smaller. */
export const CONTAINER_BUNDLE_PLUGINS: Plugin[] = [BUILTINS, ONE_LANGUAGE];
