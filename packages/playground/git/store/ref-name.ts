/** Valid full ref names, by the rules of git-check-ref-format. */

/** True for a full ref name under `refs/` that git accepts (https://git-scm.com/docs/git-check-ref-format). */
export function isRefName(ref: string): boolean {
  if (!ref.startsWith('refs/') || ref.endsWith('.') || ref.includes('..') || ref.includes('@{')) return false;
  if (hasForbiddenCharacter(ref)) return false;
  return ref.split('/').every((part) => part !== '' && !part.startsWith('.') && !part.endsWith('.lock'));
}

/** True when one of the two names is a folder of the other; git cannot store both. */
export function refNamesCollide(one: string, other: string): boolean {
  return one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}

function hasForbiddenCharacter(ref: string): boolean {
  return [...ref].some((character) => character <= ' ' || character === '\x7f' || '~^:?*[\\'.includes(character));
}
