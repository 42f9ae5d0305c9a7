/** Bundled by esbuild (infra/build-page.ts). */
declare module '*.css';
declare module '*.sql' {
  const text: string;
  export default text;
}
