/** The licences of everything that went into the bundle, as most of them ask to be passed on. */

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const manifest = z.object({ name: z.string(), version: z.string(), license: z.string() });

/** Licences that may be passed on under ours with their text alone; anything else needs a person's thought. */
const PASSABLE: readonly string[] = [
  '0BSD',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  'ISC',
  'MIT',
  'MIT-0',
];

/**
 * One text for all packages that hold one of the `files` (absolute paths), in the order of names.
 * Throws for a package without a licence that may be passed on: that is a decision, not a detail.
 */
export async function collectLicenses(files: readonly string[]): Promise<string> {
  const folders = [...new Set(files.flatMap(packageFolder))].sort();
  const parts = await Promise.all(folders.map(readLicense));
  return [
    'Third-party software in this folder, each under its own licence.\n',
    ...parts
      .toSorted((one, other) => (one.title < other.title ? -1 : 1))
      .map(({ title, text }) => `${title}\n\n${text}`),
  ].join(`\n${'-'.repeat(80)}\n`);
}

function packageFolder(file: string): readonly string[] {
  const found = /^(.*[/\\]node_modules[/\\](?:@[^/\\]+[/\\])?[^/\\]+)[/\\]/.exec(file);
  return found?.[1] === undefined ? [] : [found[1]];
}

async function readLicense(folder: string): Promise<{ readonly title: string; readonly text: string }> {
  const { name, version, license } = manifest.parse(JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')));
  if (!PASSABLE.includes(license)) throw new Error(`${name} is under ${license}: may it be passed on?`);
  const file = (await readdir(folder)).sort().find((entry) => /^(licen[cs]e|copying)(\.(md|txt))?$/i.test(entry));
  const text =
    file === undefined
      ? `Licence: ${license}; the package has no text of it.`
      : await readFile(join(folder, file), 'utf8');
  return { title: `${name} ${version} (${license})`, text: `${text.replaceAll('\r\n', '\n').trim()}\n` };
}
