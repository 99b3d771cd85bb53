/** Value in a lane's `ships` for the whole tree, except files that the cluster's scripts exclude. */
export const WHOLE_TREE = '.';

export function covers(folder: string, path: string): boolean {
  return folder === WHOLE_TREE || path === folder || path.startsWith(`${folder}/`);
}
