/** The whole tree in a lane's `ships`: all of the commit, without what its cluster's scripts leave out. */
export const WHOLE_TREE = '.';
