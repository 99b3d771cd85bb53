/** The action's two files: a small one that looks at the event, and the program, which is loaded only for what is ours. */

import type { Plugin } from 'esbuild';
import { type Bundle, buildBundle } from './build-bundle.ts';

export type ActionBundle = Omit<Bundle, 'code'> & {
  /** The files of dist/ by name: `index.js` is run, and imports `program.js` where it needs it. */
  readonly files: Readonly<Record<'index.js' | 'program.js', Uint8Array>>;
};

const ENTRY = 'src/app/action/main.ts';
const PROGRAM = 'src/app/action/full.ts';

/** Builds both. Node reads and checks the whole of a file before its first line runs, so what is not needed stands apart. */
export async function buildAction(root: string): Promise<ActionBundle> {
  const [entry, program] = await Promise.all([buildBundle(root, ENTRY, [programApart()]), buildBundle(root, PROGRAM)]);
  return {
    files: { 'index.js': entry.code, 'program.js': program.code },
    licenses: program.licenses,
    shares: program.shares,
    missed: program.missed,
  };
}

function programApart(): Plugin {
  return {
    name: 'program-apart',
    setup: (build) => {
      build.onResolve({ filter: /^\.\/full\.ts$/ }, ({ kind }) =>
        kind === 'dynamic-import' ? { path: './program.js', external: true } : undefined,
      );
    },
  };
}
