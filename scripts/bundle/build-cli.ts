/** The command line as plain JavaScript: Node reads no TypeScript below node_modules, where the package is installed. */

import { relative, resolve } from 'node:path';
import { build } from 'esbuild';
import { embedScripts } from './embed-scripts.ts';
import { collectLicenses } from './licenses.ts';
import { starImports } from './star-imports.ts';

export type CliBundle = {
  /** By the path below dist; `cli.js` is the entry. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly licenses: string;
};

// Some libraries are CommonJS and ask for Node's modules with require, which a module does not have.
const BANNER =
  'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);';

/** Bundles every verb with its libraries. Each verb stays a file of its own, so that a start reads only what it needs. */
export async function buildCli(root: string): Promise<CliBundle> {
  const outdir = resolve(root, 'dist');
  const result = await build({
    absWorkingDir: root,
    entryPoints: ['src/app/cli/main.ts'],
    outdir,
    entryNames: 'cli',
    chunkNames: 'cli/[name]-[hash]',
    splitting: true,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    // The oldest Node on which the verbs are tried; what needs a newer one says so.
    target: 'node20',
    format: 'esm',
    charset: 'ascii',
    minify: true,
    keepNames: false,
    legalComments: 'none',
    banner: { js: BANNER },
    plugins: [embedScripts(), starImports()],
    logLevel: 'warning',
  });
  const files = result.outputFiles.map(({ path, contents }) => [relative(outdir, path), contents] as const);
  return {
    files: Object.fromEntries(files),
    licenses: await collectLicenses(Object.keys(result.metafile.inputs).map((path) => resolve(root, path))),
  };
}
