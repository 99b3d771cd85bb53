/** Node's own modules are loaded where they are used first: a module's static imports all run before its first line. */

import { builtinModules } from 'node:module';
import type { Plugin } from 'esbuild';

/**
 * Turns `import … from 'node:x'` into a lazy `process.getBuiltinModule`. In one file, the imports of everything that
 * could be needed stand at the top, and loading twenty of Node's modules costs more than looking at an event.
 */
export function lazyBuiltins(): Plugin {
  return {
    name: 'lazy-builtins',
    setup: (build) => {
      build.onResolve({ filter: /^(node:)?[a-z_/0-9]+$/ }, ({ path, namespace }) => {
        const name = path.replace(/^node:/, '');
        return builtinModules.includes(name) && namespace !== ROOM ? { path: name, namespace: ROOM } : undefined;
      });
      build.onLoad({ filter: /.*/, namespace: ROOM }, ({ path }) => ({
        contents: `module.exports = process.getBuiltinModule(${JSON.stringify(`node:${path}`)});`,
        loader: 'js',
      }));
    },
  };
}

const ROOM = 'builtin';
