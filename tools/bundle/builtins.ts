/**
 * How the bundle comes to the modules of Node.js. An `import` of one reads everything that it exports, also what it only makes when it is
 * asked for: that of `node:http` brings a whole second HTTP client along, for the sake of a WebSocket that nobody uses.
 */
import { isBuiltin } from 'node:module';
import type { Plugin } from 'esbuild';

const NAMESPACE = 'builtin';

export const builtinsOnDemand: Plugin = {
  name: 'builtins on demand',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /./ }, ({ path }) => (isBuiltin(path) ? { path, namespace: NAMESPACE } : undefined));
    onLoad({ filter: /./, namespace: NAMESPACE }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)})`,
    }));
  },
};
