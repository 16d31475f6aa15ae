/** esbuild takes style sheets in by import. */
declare module '*.css';
