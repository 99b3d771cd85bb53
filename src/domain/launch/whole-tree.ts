/** Value in a lane's `ships` for the whole tree, except files that the cluster's scripts exclude. */
export const WHOLE_TREE = '.';

/** Whether `path` is the file or is in the folder; `.` covers all. */
export function covers(folder: string, path: string): boolean {
  return folder === WHOLE_TREE || path === folder || path.startsWith(`${folder}/`);
}
