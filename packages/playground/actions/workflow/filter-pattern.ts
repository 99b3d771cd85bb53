/** GitHub's filter patterns for branches, tags and paths (docs: workflow syntax, filter pattern cheat sheet). */

/**
 * Whether a list of patterns accepts a name. The last matching pattern decides; a leading `!` excludes. An empty list
 * accepts nothing; the caller decides what an absent key means.
 */
export function matchesPatterns(patterns: readonly string[], name: string): boolean {
  let matched = false;
  for (const pattern of patterns) {
    const negative = pattern.startsWith('!');
    if (patternToRegExp(negative ? pattern.slice(1) : pattern).test(name)) matched = !negative;
  }
  return matched;
}

/** `*` = anything but `/`, `**` = anything, `?` and `+` as in a regular expression, `[ ]` = a class, `\` = literal. */
function patternToRegExp(pattern: string): RegExp {
  let source = '';
  for (let at = 0; at < pattern.length; at += 1) {
    const character = pattern.charAt(at);
    if (pattern.startsWith('**/', at)) {
      source += '(?:.*/)?';
      at += 2;
    } else if (pattern.startsWith('**', at)) {
      source += '.*';
      at += 1;
    } else if (character === '*') source += '[^/]*';
    else if ('?+[]'.includes(character)) source += character;
    else if (character === '\\' && at + 1 < pattern.length) {
      at += 1;
      source += escapeCharacter(pattern.charAt(at));
    } else source += insideClass(pattern, at) ? character : escapeCharacter(character);
  }
  return new RegExp(`^${source}$`);
}

function insideClass(pattern: string, at: number): boolean {
  return pattern.lastIndexOf('[', at) > pattern.lastIndexOf(']', at);
}

function escapeCharacter(character: string): string {
  return character.replace(/[.^$(){}|/\-*?+[\]\\]/g, '\\$&');
}
