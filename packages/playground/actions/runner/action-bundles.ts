/** Third-party actions in a folder: `OWNER/NAME@REF` or `OWNER/NAME`, each with its `action.yml`. */

import { statSync } from 'node:fs';
import path from 'node:path';

/** The directory of an action: the one for exactly this ref, else the one for every ref; null when there is neither. */
export function findBundle(bundles: string | null, repository: string, ref: string): string | null {
  if (bundles === null) return null;
  for (const name of [`${repository}@${ref}`, repository]) {
    // A workflow file is untrusted text, so reject `..` as an owner.
    if (name.split('/').some((part) => ['', '.', '..'].includes(part))) continue;
    const directory = path.join(bundles, name);
    if (isFolder(directory)) return directory;
  }
  return null;
}

// Synchronous, because action.yml is read synchronously too.
export function isFolder(directory: string): boolean {
  return statSync(directory, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
