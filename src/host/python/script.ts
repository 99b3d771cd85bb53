/**
 * The Python scripts that ferrybot runs in child processes. The bundle replaces this one module by another that holds
 * their text (an esbuild plugin), so nothing else may know about files.
 */

import { readFileSync } from 'node:fs';

/** The text of a script in this folder. */
export function scriptText(name: 'read_experiment.py' | 'suggest_fix.py'): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
