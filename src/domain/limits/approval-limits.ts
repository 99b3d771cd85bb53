/** The bounds of what an approval and a consent bind to, a part of `limits`, and why each is what it is. */

export const approvalLimits = {
  /**
   * Hex digits of a digest that an approval or a consent has to name: 128 bits. Whoever writes the change can try
   * manifests: two that share twelve digits are found in 2^24 tries, two that share 32 in 2^64.
   */
  bindingHexDigits: 32,
  /**
   * So often within the period a text that somebody else changed is written anew: two mistakes and a third are told from
   * somebody who goes on, and one text costs a handful of GitHub's 500 content writes an hour.
   */
  textRestoresMax: 3,
  /** GitHub counts content writes by the hour, and so does whoever looks into a thread now and then. */
  textRestoresPeriodMs: 60 * 60 * 1_000,
  /** Edited comments of ours whose history is read to find the card, or a proposal that lost its first line: each costs a request. */
  spoiledTextsMax: 5,
} as const;
