/** The whole tree in a lane's `ships`: all of the commit, without what its cluster's scripts leave out. */
export const WHOLE_TREE = '.';

/** Whether a path is this file, or lies in this folder; all lie in `.`. */
export function covers(folder: string, path: string): boolean {
  return folder === WHOLE_TREE || path === folder || path.startsWith(`${folder}/`);
}
