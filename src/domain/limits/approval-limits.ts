/** The bounds of what an approval and a consent bind to, a part of `limits`, and why each is what it is. */

export const approvalLimits = {
  /**
   * Hex digits of a digest that an approval or a consent has to name: 128 bits. Whoever writes the change can try
   * manifests: two that share twelve digits are found in 2^24 tries, two that share 32 in 2^64.
   */
  bindingHexDigits: 32,
} as const;
