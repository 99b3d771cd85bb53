/** Whether a command says where its job writes, so that no place is derived or left over (policy HR-08, HR-37). */

import { withoutEndSlashes } from '../domain/end-slashes.ts';

/**
 * The root stands in the command or its environment; or a folder around it does, and each further part as a value of its
 * own: trainers append the id of their run to a base path.
 */
export function isPinnedBy(command: readonly string[], outputRoot: string): boolean {
  const root = withoutEndSlashes(outputRoot);
  const values = command
    .flatMap((part) => [part, ...part.split(/=(.*)/s, 2).slice(1)])
    .map(withoutEndSlashes);
  if (values.some((value) => value === root || value.startsWith(`${root}/`))) return true;
  return values.some((value) => {
    if (value === '' || !root.startsWith(`${value}/`)) return false;
    const parts = root.slice(value.length + 1).split('/');
    return parts.every((part) => values.includes(part));
  });
}
