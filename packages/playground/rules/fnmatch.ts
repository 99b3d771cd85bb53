/** Ref patterns in settings: Ruby's File.fnmatch with FNM_PATHNAME, which GitHub's documentation of rulesets names. */

/** `*` stops at a slash. A double star matches several levels only as a whole folder (`ferry/**` is one level). */
export function fnmatch(pattern: string): RegExp {
  const source = pattern
    .split(/(\*\*\/|\*+|\?)/)
    .map((part) => {
      if (part === '**/') return '(?:[^/]+/)*';
      if (/^\*+$/.test(part)) return '[^/]*';
      return part === '?' ? '[^/]' : part.replaceAll(/[.+^${}()|[\]\\]/g, '\\$&');
    })
    .join('');
  return new RegExp(`^${source}$`);
}
