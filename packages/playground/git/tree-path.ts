/**
 * Valid paths in a commit, by the rules of git's own check (git-scm.com/docs/git-fsck: hasDot, hasDotdot, hasDotgit).
 */

const longestPath = 4_096;

/**
 * False for paths that no checkout can contain or that would be written into `.git`, including on file systems that
 * fold names.
 */
export function isTreePath(path: string): boolean {
  if (path === '' || path.includes('\0') || Buffer.byteLength(path) > longestPath) return false;
  return path.split('/').every((name) => name !== '' && name !== '.' && name !== '..' && !isDotGit(name));
}

/** `.git` as HFS+ (ignored characters), NTFS (`git~1`, dots, blanks and streams at the end) and case folding read it. */
function isDotGit(name: string): boolean {
  const plain = name.replaceAll(/[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g, '').toLowerCase();
  return /^(?:\.git|git~1)[. ]*(?::.*)?$/.test(plain);
}
