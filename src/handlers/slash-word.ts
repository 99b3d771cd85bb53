/** The first, cheap look at a comment: whether any line could hold a slash word. The real reading is the grammar's. */

/** False positives cost one wake; a false negative would lose a command, so anything with a slash at a word's start counts. */
export function mayHoldCommand(body: string): boolean {
  return /(^|[\s>*_~`([{|"'-])[/\uff0f\u2215\u2044\u29f8\u2571][^\s/]/mu.test(body);
}
