/** Bundled by esbuild (infra/build-page.ts). */
declare module '*.css';
