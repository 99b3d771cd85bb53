/** The first, cheap look at a comment: whether any line could hold a slash word. The real reading is the grammar's. */

// A slash, what looks like one, or Markdown's reference to it; behind a word, a tag's bracket or in an address it is none of ours.
const SLASH_WORD = /(?:^|[^\p{L}\p{N}/:.<])[/\uff0f\u2215\u2044\u29f8\u2571][^\s/]|&(?:#0*47|#x0*2f|sol);/imu;

/** False positives cost one trigger; a false negative would leave a command to the next sweep, so whatever may be one counts. */
export function mayHoldCommand(body: string): boolean {
  return SLASH_WORD.test(body);
}
