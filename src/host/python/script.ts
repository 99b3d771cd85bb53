/** Texts of the Python scripts. Only this module reads the files: the bundle replaces it with embedded texts. */

import { readFileSync } from 'node:fs';

/** The source of a script in this folder. */
export function scriptText(name: 'read_experiment.py' | 'suggest_fix.py'): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
