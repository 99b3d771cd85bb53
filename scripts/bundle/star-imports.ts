/** Lets the bundler see which parts of zod are used: the object `z` holds them all, and is 95 KB larger. */

import { readFile } from 'node:fs/promises';
import type { Plugin } from 'esbuild';

/** `import { z } from 'zod'` means the same as `import * as z from 'zod'` (zod.dev, basic usage); only the second can be thinned. */
export function starImports(): Plugin {
  return {
    name: 'star-imports',
    setup: (build) => {
      build.onLoad({ filter: /[/\\]src[/\\].*\.ts$/ }, async ({ path }) => ({
        contents: withStarImports(await readFile(path, 'utf8')),
        loader: 'ts',
      }));
    },
  };
}

/** The same module text with the other form of the import. */
export function withStarImports(text: string): string {
  return text.replace(/^import \{ z \} from 'zod';$/m, "import * as z from 'zod';");
}
