/** Messages to a channel outside GitHub, and their delivery. */

/** Only fixed text, a run id and a GitHub URL: no log lines, metrics or text written by people. */
export type ChannelMessage = { readonly title: string; readonly text: string; readonly url: string };

/** `failed`: the channel rejected it. `unknown`: sent, delivery not confirmed; never sent again. */
export const DELIVERY_OUTCOMES = ['sent', 'failed', 'unknown'] as const;
export type Delivery = { readonly outcome: (typeof DELIVERY_OUTCOMES)[number]; readonly why: string };
