/** The bounds of the server that receives webhooks from anybody, a part of `limits`, and why each is what it is. */

export const serverLimits = {
  /** GitHub gives a webhook ten seconds, and ends the connection then: whoever takes longer to send one is not GitHub. */
  webhookTimeoutMs: 10_000,
  /** GitHub sends no larger payload (docs, *Webhook events and payloads*: capped at 25 MB). */
  webhookBytesMax: 25 * 1024 * 1024,
  /** Bodies that are being read, together: five of the largest. Beyond it the largest gives way, so that small ones pass. */
  webhookBytesHeldMax: 5 * 25 * 1024 * 1024,
  /** Headers of a request: GitHub's come in one packet. */
  webhookHeadersMs: 5_000,
  /** Between two deliveries on one connection; a new connection costs a proxy nothing. */
  webhookKeepAliveMs: 5_000,
  /** How often Node looks for connections that are over their time; its own 30 s would triple every bound above. */
  webhookLookMs: 1_000,
  /** A refused sender may still read its answer for so long: a reset would take it away. */
  webhookLingerMs: 500,
  /** Open connections: GitHub opens some dozens at its busiest, and a file descriptor is kept for git and the engine. */
  serverConnectionsMax: 500,
} as const;
