/** Actions of other people that lie in a folder: `OWNER/NAME@REF` or `OWNER/NAME`, each with its `action.yml`. */

import { statSync } from 'node:fs';
import path from 'node:path';

/** Where an action lies: under its very ref before a folder that stands for every ref; null when it is not there. */
export function bundleOf(bundles: string | null, repository: string, ref: string): string | null {
  if (bundles === null) return null;
  for (const name of [`${repository}@${ref}`, repository]) {
    // A workflow file is anybody's text, and `..` is no owner.
    if (name.split('/').some((part) => ['', '.', '..'].includes(part))) continue;
    const directory = path.join(bundles, name);
    if (isFolder(directory)) return directory;
  }
  return null;
}

// Synchronous, as action.yml is read.
export function isFolder(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
