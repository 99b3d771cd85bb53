/** A channel beside GitHub: what is said there, and what came of it. */

/** Words of ours, a run's id and an address on GitHub: nothing of a log, a metric or a person's text. */
export type ChannelMessage = { readonly title: string; readonly text: string; readonly url: string };

/** `failed`: it was not taken. `unknown`: it was sent, and nobody knows whether it arrived; it is not sent again. */
export const DELIVERY_OUTCOMES = ['sent', 'failed', 'unknown'] as const;
export type Delivery = { readonly outcome: (typeof DELIVERY_OUTCOMES)[number]; readonly why: string };
