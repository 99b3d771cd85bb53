/** The bounds of what is sent to channels beside GitHub, a part of `limits`, and why each is what it is. */

export const channelLimits = {
  /** A webhook answers in a second; what takes longer keeps a watch from its next look. */
  channelTimeoutMs: 5_000,
  /** Discord and Slack ask for a pause of a second or two; a longer one is told, and those on call were mentioned on GitHub. */
  channelWaitMsMax: 10_000,
  /** The message, and once more after a pause that was asked for. */
  channelTriesMax: 2,
  /** A mail server that limits what it takes says no number of seconds. */
  channelMailPauseMs: 5_000,
} as const;
