/** Puts the Python scripts into the bundle, which is one file and reads no others. */

import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plugin } from 'esbuild';

/** Replaces src/host/python/script.ts by a module that holds the text of every script beside it. */
export function embedScripts(): Plugin {
  return {
    name: 'embed-scripts',
    setup: (build) => {
      build.onLoad({ filter: /[/\\]src[/\\]host[/\\]python[/\\]script\.ts$/ }, async ({ path }) => {
        const folder = dirname(path);
        const names = (await readdir(folder)).filter((name) => name.endsWith('.py')).sort();
        const scripts: Record<string, string> = {};
        for (const name of names) scripts[name] = await readFile(join(folder, name), 'utf8');
        return {
          contents: `const SCRIPTS = ${JSON.stringify(scripts)};\nexport const scriptText = (name) => SCRIPTS[name];\n`,
          loader: 'js',
        };
      });
    },
  };
}
