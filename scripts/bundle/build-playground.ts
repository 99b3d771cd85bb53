/** The playground and the example lab as plain JavaScript, for the package: Node reads no TypeScript below node_modules. */

import { readFile } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { collectLicenses } from './licenses.ts';

export type PlaygroundBundle = {
  /** By the path below dist/playground. */
  readonly files: Readonly<Record<string, Uint8Array>>;
  readonly licenses: string;
};

const OUT = 'dist/playground';
/** Programs that are started by their path: name below dist/playground, and source. */
const PROGRAMS = {
  demo: 'demo/main.ts',
  own: 'demo/own/main.ts',
  'stand-over': 'demo/own-job/stand-over.ts',
  'update-hook': 'packages/playground/git/smart-http/update-hook.ts',
};
/** From a folder of the playground to the root of the package. */
const UP = '../../../..';

/**
 * What differs in the package, by source file: programs are in dist, and what a checkout builds when it starts has been
 * built. Each text must be in its file exactly once.
 */
const CHANGES: Readonly<Record<string, readonly (readonly [from: string, to: string])[]>> = {
  'demo/beside.ts': [["'src/app/cli/main.ts'", "'dist/cli.js'"]],
  'demo/open-lab.ts': [
    ["import { writeAction } from '../scripts/bundle/write-bundle.ts';\n", ''],
    ['  await writeAction(PROJECT);\n', ''],
  ],
  'demo/own-job/start-own-job.ts': [["'stand-over.ts'", `'../../${OUT}/stand-over.js'`]],
  'packages/playground/git/smart-http/cgi-process.ts': [["'update-hook.ts'", `'${UP}/${OUT}/update-hook.js'`]],
  'packages/playground/actions/workflow/github-schema.ts': [
    ["import.meta.resolve('@actions/workflow-parser')", `new URL('${UP}/${OUT}/', import.meta.url)`],
  ],
  'packages/playground/pages/assets/read-asset.ts': [
    ["import.meta.resolve('@mermaid-js/tiny')", `new URL('${UP}/${OUT}/mermaid.js', import.meta.url)`],
    ["import { readClientScript } from './client-script.ts';\n", ''],
    ['await readClientScript()', `await readFile(path.join(own, '${UP}/${OUT}/page.js'), 'utf8')`],
  ],
};

// Some libraries are CommonJS and ask for Node's modules with require, which a module does not have. `__at` is the place
// of a source file in the package, where its style sheets, scripts and lists still are.
const BANNER = `import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);
const __at=(path)=>new URL("../../"+path,import.meta.url).href;`;

/** Bundles the programs with their libraries, and adds the files that they read from libraries. */
export async function buildPlayground(root: string): Promise<PlaygroundBundle> {
  const outdir = resolve(root, OUT);
  const changed = new Set<string>();
  const result = await build({
    absWorkingDir: root,
    entryPoints: Object.entries(PROGRAMS).map(([out, path]) => ({ in: path, out })),
    outdir,
    splitting: true,
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node22',
    format: 'esm',
    charset: 'ascii',
    minify: true,
    legalComments: 'none',
    banner: { js: BANNER },
    plugins: [inPackage(root, changed)],
    logLevel: 'warning',
  });
  const missed = Object.keys(CHANGES).filter((file) => !changed.has(file));
  if (missed.length > 0) throw new Error(`not part of the playground any more: ${missed.join(', ')}`);
  const page = await buildPage(root);
  const mermaid = fileURLToPath(import.meta.resolve('@mermaid-js/tiny'));
  const parser = dirname(fileURLToPath(import.meta.resolve('@actions/workflow-parser')));
  const schemas = ['workflow-v1.0.min.json', 'action-v1.0.min.json'];
  const inputs = Object.keys(result.metafile.inputs).map((path) => resolve(root, path));
  return {
    files: {
      ...Object.fromEntries(result.outputFiles.map(({ path, contents }) => [relative(outdir, path), contents])),
      'page.js': page,
      'mermaid.js': await readFile(mermaid),
      ...Object.fromEntries(
        await Promise.all(schemas.map(async (name) => [name, await readFile(join(parser, name))] as const)),
      ),
    },
    licenses: await collectLicenses([...inputs, mermaid]),
  };
}

/** The script of the playground's pages, which a checkout builds at the first request. */
async function buildPage(root: string): Promise<Uint8Array> {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: ['packages/playground/pages/client/page.ts'],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['/_playground/*'],
    minify: true,
    logLevel: 'warning',
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error('esbuild made no script for the pages');
  return file.contents;
}

/** Gives each source file its place in the package, and applies CHANGES. `changed` collects the changed files. */
function inPackage(root: string, changed: Set<string>): Plugin {
  return {
    name: 'in-package',
    setup: (build) => {
      build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
        const name = relative(root, path).replaceAll('\\', '/');
        if (!/^(demo|packages\/playground)\/(?!.*node_modules)/.test(name)) return undefined;
        const text = await readFile(path, 'utf8');
        const contents = (CHANGES[name] ?? []).reduce((before, [from, to]) => {
          if (before.split(from).length !== 2) throw new Error(`${name} does not have once: ${from}`);
          return before.replace(from, to);
        }, text);
        if (CHANGES[name] !== undefined) changed.add(name);
        const placed = contents
          .replaceAll('import.meta.url', `__at(${JSON.stringify(name)})`)
          .replaceAll(
            'import.meta.dirname',
            `require("node:url").fileURLToPath(__at(${JSON.stringify(dirname(name))}))`,
          );
        return { contents: placed, loader: 'ts' };
      });
    },
  };
}
