/**
 * Whether the config that a repository has is the one of the checkout that the person stands in. Only then is called what it
 * names: another repository's may name any machine of this network, and any variable of this environment as the key for it.
 */

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../../../host/publish-once.ts';
import { CONFIG_PATH } from '../../config-source.ts';
import type { VerbIo } from '../verb-io.ts';

export const NOT_OWN = `this checkout has not the ${CONFIG_PATH} of the repository`;

/** Byte for byte. */
export async function isOwnConfig({ cwd }: Pick<VerbIo, 'cwd'>, configText: string): Promise<boolean> {
  return (await textAt(join(cwd, CONFIG_PATH))) === configText;
}

/** A file's text; null where there is none. Other failures throw. */
export async function textAt(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null;
    throw error;
  }
}
