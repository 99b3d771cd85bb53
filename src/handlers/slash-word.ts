/** A cheap test whether a comment may contain a command; the grammar parses it later. */

// A slash, a similar character or its HTML entity, but not after a word, in a tag or in a URL.
const SLASH_WORD = /(?:^|[^\p{L}\p{N}/:.<])[/\uff0f\u2215\u2044\u29f8\u2571][^\s/]|&(?:#0*47|#x0*2f|sol);/imu;

/** A false positive costs one trigger; a false negative delays a command until the next sweep. */
export function mayContainCommand(body: string): boolean {
  return SLASH_WORD.test(body);
}
