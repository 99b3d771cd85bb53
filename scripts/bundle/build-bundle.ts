/** Makes one file from an entry, and the action's two: the same input gives the same bytes on every machine. */

import { resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { embedScripts } from './embed-scripts.ts';
import { lazyBuiltins } from './lazy-builtins.ts';
import { createLeaveOutPlugin, listMissed } from './leave-out.ts';
import { collectLicenses } from './licenses.ts';
import { starImports } from './star-imports.ts';

export type Bundle = {
  readonly code: Uint8Array;
  readonly licenses: string;
  /** Bytes by package (ours is `ferrybot`), largest first. */
  readonly shares: readonly (readonly [name: string, bytes: number])[];
  /** Parts that should have been left out and were not met: a library changed its layout. */
  readonly missed: readonly string[];
};

// Some libraries are CommonJS and ask for Node's modules with require, which a module does not have.
const BANNER = `// Made by \`npm run bundle\` from src/app/action/main.ts. Licences of what is inside: licenses.txt.
import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);`;

/**
 * Bundles `entry` for Node 24. Names are shortened without esbuild's keepNames: the local engine hands the text of
 * some functions to another process, where esbuild's helper for kept names would not exist. `yaml` is taken as the same
 * source made into ES modules, of which only what is used remains: as CommonJS, its form for Node, it is 16 KB larger.
 */
export async function buildBundle(root: string, entry: string, apart: readonly Plugin[] = []): Promise<Bundle> {
  const found = new Set<string>();
  const result = await build({
    absWorkingDir: root,
    entryPoints: [entry],
    outfile: resolve(root, 'dist/index.js'),
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    // Text outside of ASCII would make V8 keep the file with two bytes a character: half as fast to read.
    charset: 'ascii',
    minify: true,
    keepNames: false,
    legalComments: 'none',
    alias: { yaml: resolve(root, 'node_modules/yaml/browser/dist/index.js') },
    banner: { js: BANNER },
    plugins: [...apart, lazyBuiltins(), embedScripts(), starImports(), createLeaveOutPlugin(found)],
    logLevel: 'warning',
  });
  const [file] = result.outputFiles;
  if (file === undefined) throw new Error('esbuild made no file');
  const inputs = Object.values(result.metafile.outputs).flatMap((output) => Object.entries(output.inputs));
  const used = inputs.filter(([, { bytesInOutput }]) => bytesInOutput > 0).map(([path]) => resolve(root, path));
  return {
    code: file.contents,
    licenses: await collectLicenses(used),
    shares: sharesOf(inputs),
    missed: listMissed(found),
  };
}

function sharesOf(inputs: readonly (readonly [string, { readonly bytesInOutput: number }])[]): Bundle['shares'] {
  const bytes = new Map<string, number>();
  for (const [path, { bytesInOutput }] of inputs) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? 'ferrybot';
    bytes.set(name, (bytes.get(name) ?? 0) + bytesInOutput);
  }
  return [...bytes].toSorted((one, other) => other[1] - one[1] || (one[0] < other[0] ? -1 : 1));
}
