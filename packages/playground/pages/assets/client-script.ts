/** The page's script: esbuild bundles the TypeScript into one module on the first request. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

let joined: Promise<string> | null = null;

/**
 * The script is type-checked with everything else. Mermaid stays a separate download, which only pages with a chart
 * load.
 */
export function readClientScript(): Promise<string> {
  joined ??= joinScripts();
  return joined;
}

async function joinScripts(): Promise<string> {
  const result = await build({
    entryPoints: [fileURLToPath(new URL('../client/page.ts', import.meta.url))],
    bundle: true,
    write: false,
    format: 'esm',
    target: 'es2024',
    external: ['/_playground/*'],
    logLevel: 'silent',
  });
  const file = result.outputFiles[0];
  if (file === undefined) throw new Error('esbuild gave no file for the page’s script');
  return file.text;
}
