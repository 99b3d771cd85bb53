/**
 * Texts of the Python scripts. The bundle replaces this module with embedded texts (an esbuild plugin), so only this module may read the
 * files.
 */

import { readFileSync } from 'node:fs';

/** The source of a script in this folder. */
export function scriptText(name: 'read_experiment.py' | 'suggest_fix.py'): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
